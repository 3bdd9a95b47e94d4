// SPDX-License-Identifier: Apache-2.0
//
// The parts of a mirror that need no server: store, tombstones, written versions.
#include <gtest/gtest.h>

#include "cache/store.h"
#include "cache/tombstones.h"
#include "cache/written_versions.h"
#include "support/fake_clock.h"
#include "support/objects.h"

namespace dra::cache {
namespace {

using test::MakeClaim;
using test::Share;

TEST(Store, FindsByKeyAndByEveryIndexValue) {
  Store<api::ResourceClaim> store;
  const IndexId by_uid = store.AddIndex([](const api::ResourceClaim& claim, auto& keys) {
    keys.push_back(claim.meta.uid);
    keys.push_back("all");
  });
  store.Put(Share(MakeClaim("a", "1")));
  store.Put(Share(MakeClaim("b", "2")));
  EXPECT_EQ(store.Find({"ns", "a"})->meta.uid, "1");
  EXPECT_EQ(store.ByIndex(by_uid, "2").size(), 1U);
  EXPECT_EQ(store.ByIndex(by_uid, "all").size(), 2U);
}

TEST(Store, ReplacedAndRemovedObjectsLeaveTheIndex) {
  Store<api::ResourceClaim> store;
  const IndexId by_uid = store.AddIndex(
      [](const api::ResourceClaim& claim, auto& keys) { keys.push_back(claim.meta.uid); });
  store.Put(Share(MakeClaim("a", "1")));
  EXPECT_EQ(store.Put(Share(MakeClaim("a", "2")))->meta.uid, "1");
  EXPECT_TRUE(store.ByIndex(by_uid, "1").empty());
  store.Remove({"ns", "a"});
  EXPECT_TRUE(store.ByIndex(by_uid, "2").empty());
  EXPECT_EQ(store.Size(), 0U);
}

TEST(Tombstones, RememberUuidsAndOtherTexts) {
  Tombstones tombstones;
  tombstones.Add("0c9d4b5e-8f0a-4c52-9a7e-0123456789ab");
  tombstones.Add("not-a-uuid");
  EXPECT_TRUE(tombstones.Contains("0c9d4b5e-8f0a-4c52-9a7e-0123456789ab"));
  EXPECT_FALSE(tombstones.Contains("0c9d4b5e-8f0a-4c52-9a7e-0123456789ac"));
  EXPECT_TRUE(tombstones.Contains("not-a-uuid"));
  tombstones.Clear();
  EXPECT_FALSE(tombstones.Contains("not-a-uuid"));
}

TEST(Tombstones, AreBoundedAndKeepTheYoungest) {
  Tombstones tombstones(100);
  for (int i = 0; i < 1000; ++i) tombstones.Add("uid-" + std::to_string(i));
  for (int i = 900; i < 1000; ++i) EXPECT_TRUE(tombstones.Contains("uid-" + std::to_string(i)));
  EXPECT_FALSE(tombstones.Contains("uid-0"));
}

TEST(WrittenVersions, ItemWaitsUntilTheMirrorHasPassedItsWrite) {
  test::FakeClock clock;
  WrittenVersions<std::string> written(clock);
  api::ResourceVersion mirror("9");
  written.AddMirror("pods", [&] { return mirror; });
  written.Wrote("item", "pods", api::ResourceVersion("10"));
  EXPECT_TRUE(written.BehindFor("item").has_value());
  EXPECT_FALSE(written.BehindFor("another").has_value());
  mirror = api::ResourceVersion("10");
  EXPECT_FALSE(written.BehindFor("item").has_value());
  EXPECT_EQ(written.size(), 0U);
}

TEST(WrittenVersions, MirrorFarBehindIsAskedEverLessOften) {
  test::FakeClock clock;
  WrittenVersions<std::string> written(clock);
  written.AddMirror("pods", [] { return api::ResourceVersion("1"); });
  written.Wrote("item", "pods", api::ResourceVersion("10"));
  EXPECT_EQ(written.BehindFor("item"), Clock::Duration(std::chrono::milliseconds(5)));
  clock.Advance(std::chrono::milliseconds(100));
  EXPECT_EQ(written.BehindFor("item"), Clock::Duration(std::chrono::milliseconds(100)));
  clock.Advance(std::chrono::seconds(30));
  EXPECT_EQ(written.BehindFor("item"), Clock::Duration(std::chrono::seconds(1)));
}

TEST(WrittenVersions, RestoredClusterEndsTheWait) {
  test::FakeClock clock;
  WrittenVersions<std::string> written(clock);
  written.AddMirror("pods", [] { return api::ResourceVersion("1"); });
  written.Wrote("item", "pods", api::ResourceVersion("10"));
  written.Forget("pods");
  EXPECT_FALSE(written.BehindFor("item").has_value());
}

}  // namespace
}  // namespace dra::cache
