// SPDX-License-Identifier: Apache-2.0
//
// Bytes that nobody should send. Every case must end in an object or an error, under the
// sanitizers, in linear time.
#include <algorithm>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "api/decoder.h"
#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/resource_claim_template.h"
#include "unit/api/fixtures.h"

namespace dra::api {
namespace {

using test::Fixture;
using test::FixtureText;
using test::WatchLine;

// Of each source in the random tests; DRA_HOSTILE_ROUNDS asks for more.
int Rounds() {
  const char* rounds = std::getenv("DRA_HOSTILE_ROUNDS");
  return rounds == nullptr ? 200 : std::atoi(rounds);
}

std::string Repeat(std::string_view part, std::size_t times) {
  std::string out;
  out.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

// Feeds `json` to everything that decodes; says whether anything accepted it.
bool DecodeAll(Decoder& decoder, const std::string& json) {
  const auto pod = decoder.Decode<Pod>(json);
  const auto claim = decoder.Decode<ResourceClaim>(json);
  const auto from = decoder.Decode<ResourceClaimTemplate>(json);
  const auto list = decoder.DecodeList<Pod>(json);
  const auto event = decoder.DecodeWatchEvent<Pod>(json);
  EXPECT_TRUE(pod.ok() || pod.error().code() == Code::kMalformed);
  return pod.ok() || claim.ok() || from.ok() || list.ok() || event.ok();
}

TEST(DecoderHostileTest, RefusesEveryPrefixOfAnObject) {
  Decoder decoder;
  for (const char* name : {"pod", "resource_claim", "resource_claim_template"}) {
    const std::string json = Fixture(name);
    const std::size_t step = json.size() > 5000 ? 5 : 1;  // sanitizers are slow; 5 hits every kind
    for (std::size_t size = 0; size < json.size(); size += step) {
      ASSERT_FALSE(decoder.Decode<Pod>(json.substr(0, size)).ok()) << name << ' ' << size;
      ASSERT_FALSE(decoder.Decode<ResourceClaimTemplate>(json.substr(0, size)).ok()) << size;
    }
  }
}

TEST(DecoderHostileTest, RefusesEveryPrefixOfAWatchLine) {
  Decoder decoder;
  for (const char* type : {"ADDED", "BOOKMARK", "ERROR"}) {
    const std::string line = WatchLine(type, Fixture("resource_claim"));
    for (std::size_t size = 0; size < line.size(); size += 2) {
      ASSERT_FALSE(decoder.DecodeWatchEvent<ResourceClaim>(line.substr(0, size)).ok()) << size;
    }
    EXPECT_TRUE(decoder.DecodeWatchEvent<ResourceClaim>(line).ok());
  }
}

TEST(DecoderHostileTest, RefusesWhatIsNoObject) {
  Decoder decoder;
  for (const char* json :
       {"",        " ",        "\n",         "null",
        "true",    "5",        "\"x\"",      "[]",
        "[{}]",    "}",        "{",          "{]",
        "{}}",     "{}{}",     "{} x",       "\xEF\xBB\xBF{}",
        "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"metadata\":{\"name\":\"a\"}\"spec\":{}}"}) {
    EXPECT_FALSE(decoder.Decode<Pod>(json).ok()) << json;
  }
  EXPECT_FALSE(decoder.Decode<Pod>(std::string(1, '\0')).ok());
  EXPECT_TRUE(decoder.Decode<Pod>("\n\t {} \r\n").ok());
}

TEST(DecoderHostileTest, RefusesInvalidUtf8AnywhereInTheDocument) {
  Decoder decoder;
  for (const char* bytes : {"\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    const std::string text(bytes);
    EXPECT_FALSE(decoder.Decode<Pod>("{\"metadata\":{\"name\":\"" + text + "\"}}").ok());
    EXPECT_FALSE(decoder.Decode<Pod>("{\"unknown\":\"" + text + "\"}").ok());
    EXPECT_FALSE(decoder.Decode<Pod>("{\"" + text + "\":1}").ok());
  }
}

TEST(DecoderHostileTest, RefusesBadStringsWhereOneIsRead) {
  Decoder decoder;
  for (const char* text : {"\\ud800", "\\ud800\\u0041", "\\x", "\\u12", "\\", "a\nb"}) {
    const std::string json = std::string("{\"metadata\":{\"name\":\"") + text + "\"}}";
    EXPECT_FALSE(decoder.Decode<Pod>(json).ok()) << json;
  }
}

TEST(DecoderHostileTest, SkipsAMillionLevelsWithoutRecursion) {
  constexpr std::size_t kDepth = 1'000'000;
  Decoder decoder;
  const std::string lists = Repeat("[", kDepth) + Repeat("]", kDepth);
  EXPECT_TRUE(decoder.Decode<Pod>("{\"unknown\":" + lists + "}").ok());
  EXPECT_FALSE(decoder.Decode<Pod>("{\"metadata\":{\"finalizers\":" + lists + "}}").ok());
  EXPECT_FALSE(decoder.Decode<Pod>("{\"unknown\":" + lists.substr(0, kDepth + 1)).ok());
  const std::string objects = Repeat("{\"a\":", kDepth) + "1" + Repeat("}", kDepth);
  EXPECT_TRUE(decoder.Decode<Pod>(objects).ok());
  EXPECT_FALSE(decoder.Decode<Pod>(objects.substr(0, objects.size() - 1)).ok());
}

TEST(DecoderHostileTest, KeepsRawTextOfAnyDepth) {
  constexpr std::size_t kDepth = 100'000;
  const std::string deep = Repeat("{\"a\":", kDepth) + "1" + Repeat("}", kDepth);
  Decoder decoder;
  const auto from = decoder.Decode<ResourceClaimTemplate>("{\"spec\":{\"spec\":" + deep + "}}");
  ASSERT_TRUE(from.ok()) << from.error().Describe();
  EXPECT_EQ(from->spec_json.size(), deep.size());
  const auto event = decoder.DecodeWatchEvent<Pod>(WatchLine("ERROR", deep));
  ASSERT_TRUE(event.ok());
  EXPECT_TRUE(event->error.has_value());
}

TEST(DecoderHostileTest, DecodesAnObjectOfMegabytes) {
  Decoder decoder;
  const std::string value(3U << 19U, 'x');
  const auto pod = decoder.Decode<Pod>("{\"metadata\":{\"annotations\":{\"a\":\"" + value +
                                       "\"},\"name\":\"" + value + "\"}}");
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->meta.name.size(), value.size());
  const auto many = decoder.Decode<Pod>("{\"metadata\":{\"finalizers\":[\"f\"" +
                                        Repeat(",\"f\"", 300'000) + "]}}");
  ASSERT_TRUE(many.ok());
  EXPECT_EQ(many->meta.finalizers.size(), 300'001U);
}

TEST(DecoderHostileTest, RefusesATooLargeDocumentUnread) {
  Decoder decoder;
  const char byte = '{';
  const auto pod = decoder.Decode<Pod>(std::string_view(&byte, Decoder::kMaxBytes + 1));
  ASSERT_FALSE(pod.ok());
  EXPECT_EQ(pod.error().code(), Code::kMalformed);
}

TEST(DecoderHostileTest, NeverCrashesOnAMutatedByte) {
  std::mt19937 random(20261201);
  Decoder decoder;
  std::string interesting = "{}[]\",:\\\n 0-.eEtfnu\xFF\xC3";
  interesting += '\0';
  std::size_t accepted = 0;
  for (const char* name : {"pod", "resource_claim", "resource_claim_template"}) {
    const std::string original = WatchLine("ADDED", Fixture(name));
    for (int round = 0; round < Rounds(); ++round) {
      std::string json = round % 2 == 0 ? original : Fixture(name);
      const std::size_t at = random() % json.size();
      json[at] = interesting[random() % interesting.size()];
      accepted += DecodeAll(decoder, json) ? 1U : 0U;
    }
  }
  EXPECT_GT(accepted, 0U);  // else the mutations only hit the surface
}

// Several random edits at once: cut, doubled, moved and overwritten pieces.
std::string Mutate(std::string json, std::mt19937& random) {
  const int edits = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < edits && !json.empty(); ++i) {
    const std::size_t at = random() % json.size();
    const std::size_t size = random() % std::min<std::size_t>(json.size() - at, 40);
    switch (random() % 4) {
      case 0:
        json.erase(at, size);
        break;
      case 1:
        json.insert(random() % json.size(), json.substr(at, size));
        break;
      case 2:
        json[at] = static_cast<char>(random() & 0xFFU);
        break;
      default:
        json.insert(at, 1, "{}[]\",:\\"[random() % 8]);
    }
  }
  return json;
}

TEST(DecoderHostileTest, NeverCrashesOnRandomEdits) {
  std::mt19937 random(42);
  Decoder decoder;
  const std::string sources[] = {
      Fixture("pod"),
      Fixture("resource_claim"),
      FixtureText("resource_claim_template"),
      WatchLine("BOOKMARK", R"({"metadata":{"resourceVersion":"9","annotations":{}}})"),
      WatchLine("ERROR", R"({"kind":"Status","code":410,"details":{"causes":[{"field":"a"}]}})"),
      R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{"metadata":{}},{}]})"};
  for (const std::string& source : sources) {
    EXPECT_FALSE(source.empty());
    for (int round = 0; round < Rounds(); ++round) DecodeAll(decoder, Mutate(source, random));
  }
}

}  // namespace
}  // namespace dra::api
