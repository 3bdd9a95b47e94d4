// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <bit>
#include <set>

#include <gtest/gtest.h>

namespace dra {
namespace {

TEST(StringsTest, JoinsWithTheSeparatorBetween) {
  EXPECT_EQ(Join({}, ", "), "");
  EXPECT_EQ(Join({"a"}, ", "), "a");
  EXPECT_EQ(Join({"a", "b", "c"}, ", "), "a, b, c");
}

TEST(StringsTest, TruncatesOnlyWhatIsTooLong) {
  EXPECT_EQ(Truncate("hello", 5), "hello");
  EXPECT_EQ(Truncate("hello!", 5), "he...");
  EXPECT_EQ(Truncate("hello", 2), "..");
  EXPECT_EQ(Truncate("hello", 0), "");
}

TEST(StringsTest, TruncatesAtTheBoundaryOfACodePoint) {
  const std::string text = "a\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC";  // a and three euro signs
  for (std::size_t size = 4; size < text.size(); ++size) {
    const std::string cut = Truncate(text, size);
    EXPECT_LE(cut.size(), size);
    EXPECT_TRUE(cut == "a..." || cut == "a\xE2\x82\xAC..." || cut == "a\xE2\x82\xAC\xE2\x82\xAC...")
        << size;
  }
}

TEST(StringsTest, EncodesAllButUnreservedCharacters) {
  EXPECT_EQ(UrlEncode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(UrlEncode("a/b?c=d&e f+%"), "a%2Fb%3Fc%3Dd%26e%20f%2B%25");
  EXPECT_EQ(UrlEncode("\xC3\xBC\r\n"), "%C3%BC%0D%0A");
  EXPECT_EQ(UrlEncode(std::string_view("\0", 1)), "%00");
}

TEST(StringsTest, AcceptsDnsSubdomains) {
  for (const char* name : {"a", "0", "a-b", "a.b", "gpu.example.com", "a--b", "1.2.3"}) {
    EXPECT_TRUE(IsDnsSubdomain(name)) << name;
  }
  EXPECT_TRUE(IsDnsSubdomain(std::string(253, 'a')));
}

TEST(StringsTest, RefusesWhatIsNoDnsSubdomain) {
  for (const char* name : {"", "-a", "a-", ".a", "a.", "a..b", "a.-b", "a-.b", "A", "a_b", "a b",
                           "a/b", "../x", "\xC3\xBC"}) {
    EXPECT_FALSE(IsDnsSubdomain(name)) << name;
  }
  EXPECT_FALSE(IsDnsSubdomain(std::string(254, 'a')));
}

// Names of generated claims depend on these values: another result would make twins after an
// upgrade.
TEST(StringsTest, HashesTheSameInEveryVersion) {
  EXPECT_EQ(StableHash(""), 17280346270528514342ULL);
  EXPECT_EQ(StableHash("pod-uid/gpu"), 10312284020742949004ULL);
  EXPECT_EQ(StableHash("pod-uid/gpu", 1), 12330360354185642376ULL);
}

TEST(StringsTest, HashesSpreadOverAllBits) {
  std::set<std::uint64_t> seen;
  for (unsigned i = 0; i < 1000; ++i) {
    const std::string text = "uid-" + std::to_string(i);
    EXPECT_TRUE(seen.insert(StableHash(text)).second);
    EXPECT_TRUE(seen.insert(StableHash(text, 1)).second);
    const int changed = std::popcount(StableHash(text) ^ StableHash(text + "x"));
    EXPECT_GT(changed, 8) << text;
    EXPECT_LT(changed, 56) << text;
  }
}

}  // namespace
}  // namespace dra
