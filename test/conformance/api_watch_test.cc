// SPDX-License-Identifier: Apache-2.0
//
// What watches show, and how they end.
#include "api/resource_claim.h"
#include "conformance/conformance.h"

namespace dra::test {
namespace {

ConformanceSuite(ApiWatch);

using Texts = std::vector<std::string>;

TEST_P(ApiWatch, AWatchFromAVersionShowsWhatCameAfter) {
  world().Prepare(NewClaim("old"));
  EventReader reader(world(), kube::kResourceClaims, "resourceVersion=" + world().Version());
  world().Prepare(NewClaim("c"));
  world().Patch(kube::kResourceClaims, "c", "", kMerge, {{"metadata", {{"labels", {{"a", "1"}}}}}});
  world().Remove(kube::kResourceClaims, "c");
  ASSERT_TRUE(reader.Await(3));
  EXPECT_EQ(reader.Summary(), (Texts{"ADDED c", "MODIFIED c", "DELETED c"}));
}

TEST_P(ApiWatch, VersionsGrowAlsoAtADeletion) {
  EventReader reader(world(), kube::kResourceClaims, "resourceVersion=" + world().Version());
  const Json claim = world().Prepare(NewClaim("c"));
  world().Remove(kube::kResourceClaims, "c");
  ASSERT_TRUE(reader.Await(2));
  const std::string last = VersionOf(reader.Events()[1]["object"]);
  EXPECT_GT(std::stoull(last), std::stoull(VersionOf(claim)));
  EXPECT_EQ(UidOf(reader.Events()[1]["object"]), UidOf(claim));
}

TEST_P(ApiWatch, WithoutAVersionTheStateComesFirst) {
  world().Prepare(NewClaim("a"));
  EventReader reader(world(), kube::kResourceClaims, "");
  world().Prepare(NewClaim("b"));
  ASSERT_TRUE(reader.Await(2));
  EXPECT_EQ(reader.Summary(), (Texts{"ADDED a", "ADDED b"}));
}

TEST_P(ApiWatch, AStreamingListEndsWithAMarkedBookmark) {
  world().Prepare(NewClaim("a"));
  world().Prepare(NewClaim("b"));
  EventReader reader(
      world(), kube::kResourceClaims,
      "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan");
  ASSERT_TRUE(reader.Await(3));
  world().Prepare(NewClaim("c"));
  ASSERT_TRUE(reader.Await(4));
  EXPECT_EQ(reader.Summary(), (Texts{"ADDED a", "ADDED b", "BOOKMARK", "ADDED c"}));
  const Json bookmark = reader.Events()[2]["object"];
  EXPECT_EQ(TextAt(bookmark, {"metadata", "annotations", "k8s.io/initial-events-end"}), "true");
  EXPECT_FALSE(VersionOf(bookmark).empty());
}

TEST_P(ApiWatch, AStreamingListNeedsAVersionMatch) {
  const auto path = kube::kResourceClaims.CollectionPath(world().ns());
  const Answer answer = world().Call(
      kube::Method::kGet, path + "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true");
  EXPECT_EQ(answer.status, 422);
}

TEST_P(ApiWatch, AVersionThatIsGoneIsAnErrorEvent) {
  EventReader reader(world(), kube::kResourceClaims, "resourceVersion=1");
  ASSERT_TRUE(reader.Await(1));
  const Json event = reader.Events()[0];
  EXPECT_EQ(TextAt(event, {"type"}), "ERROR");
  EXPECT_EQ(At(event, {"object", "code"}), 410);
  EXPECT_EQ(TextAt(event, {"object", "reason"}), "Expired");
  EXPECT_TRUE(reader.AwaitEnd());
}

TEST_P(ApiWatch, AStreamingListFromTheFutureIsAnErrorEvent) {
  EventReader reader(world(), kube::kResourceClaims,
                     "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch="
                     "NotOlderThan&resourceVersion=999999999999");
  ASSERT_TRUE(reader.Await(1));
  const Json event = reader.Events()[0];
  EXPECT_EQ(TextAt(event, {"type"}), "ERROR");
  EXPECT_EQ(At(event, {"object", "code"}), 504);
}

TEST_P(ApiWatch, APatchThatChangesNothingIsNotShown) {
  world().Prepare(NewClaim("c").Label("a", "1"));
  EventReader reader(world(), kube::kResourceClaims, "resourceVersion=" + world().Version());
  world().Patch(kube::kResourceClaims, "c", "", kMerge, {{"metadata", {{"labels", {{"a", "1"}}}}}});
  world().Prepare(NewClaim("d"));
  ASSERT_TRUE(reader.Await(1));
  EXPECT_EQ(reader.Summary(), (Texts{"ADDED d"}));
}

TEST_P(ApiWatch, TheEndOfTheLastFinalizerIsADeletionOnly) {
  world().Prepare(NewClaim("c").Protected().Deleting());
  EventReader reader(world(), kube::kResourceClaims, "resourceVersion=" + world().Version());
  world().Patch(kube::kResourceClaims, "c", "", kMerge, {{"metadata", {{"finalizers", nullptr}}}});
  ASSERT_TRUE(reader.Await(1));
  EXPECT_EQ(reader.Summary(), (Texts{"DELETED c"}));
}

TEST_P(ApiWatch, APodThatGoesAtOnceIsDeletingFirst) {
  world().Prepare(NewPod("p"));
  EventReader reader(world(), kube::kPods, "resourceVersion=" + world().Version());
  world().Delete(kube::kPods, "p");
  ASSERT_TRUE(reader.Await(2));
  EXPECT_EQ(reader.Summary(), (Texts{"MODIFIED p", "DELETED p"}));
  EXPECT_NE(MetaField(reader.Events()[0]["object"], "deletionTimestamp"), "");
}

TEST_P(ApiWatch, AnObjectThatLeavesTheSelectionLooksDeleted) {
  world().Prepare(NewClaim("c").Label("a", "1"));
  EventReader reader(world(), kube::kResourceClaims,
                     "labelSelector=a%3D1&resourceVersion=" + world().Version());
  const auto label = [&](const char* value) {
    world().Patch(kube::kResourceClaims, "c", "", kMerge,
                  {{"metadata", {{"labels", {{"a", value}}}}}});
  };
  label("2");
  label("1");
  ASSERT_TRUE(reader.Await(2));
  EXPECT_EQ(reader.Summary(), (Texts{"DELETED c", "ADDED c"}));
}

TEST_P(ApiWatch, OtherNamespacesAreNotShown) {
  EventReader reader(world(), kube::kResourceClaims, "resourceVersion=" + world().Version());
  const auto path = kube::kResourceClaims.CollectionPath("default");
  const Json other = ClaimBuilder("default", world().ns());
  world().Call(kube::Method::kPost, path, "application/json", other.dump());
  world().Call(kube::Method::kDelete, path + "/" + world().ns());
  world().Prepare(NewClaim("mine"));
  ASSERT_TRUE(reader.Await(1));
  EXPECT_EQ(reader.Summary(), (Texts{"ADDED mine"}));
}

}  // namespace
}  // namespace dra::test
