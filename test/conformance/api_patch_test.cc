// SPDX-License-Identifier: Apache-2.0
//
// The three kinds of patches, their preconditions, and who owns what after them.
#include "api/resource_claim.h"
#include "conformance/conformance.h"

namespace dra::test {
namespace {

ConformanceSuite(ApiPatch);

constexpr const char* kOtherUid = "00000000-0000-0000-0000-000000000000";

Json Status(Json fields) { return {{"status", std::move(fields)}}; }

Json ConsumerOf(const std::string& name, const std::string& uid) {
  return {{"resource", "pods"}, {"name", name}, {"uid", uid}};
}

TEST_P(ApiPatch, AMergePatchMergesMapsAndRemovesByNull) {
  world().Prepare(NewClaim("c").Label("a", "1").Label("b", "2"));
  const Json patch = {{"metadata", {{"labels", {{"a", nullptr}, {"c", "3"}}}}}};
  const Answer answer = world().Patch(kube::kResourceClaims, "c", "", kMerge, patch);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(At(answer.body, {"metadata", "labels"}), (Json{{"b", "2"}, {"c", "3"}}));
}

TEST_P(ApiPatch, APatchThatChangesNothingMakesNoVersion) {
  const Json claim = world().Prepare(NewClaim("c").Label("a", "1"));
  const Json patch = {{"metadata", {{"labels", {{"a", "1"}}}}}};
  for (const char* type : {kMerge, kStrategic}) {
    const Answer answer = world().Patch(kube::kResourceClaims, "c", "", type, patch);
    EXPECT_EQ(VersionOf(answer.body), VersionOf(claim)) << type;
  }
}

TEST_P(ApiPatch, AStaleVersionIsAConflict) {
  world().Prepare(NewClaim("c"));
  const Json patch = {{"metadata", {{"resourceVersion", "1"}, {"labels", {{"a", "1"}}}}}};
  for (const char* type : {kMerge, kStrategic}) {
    const Answer answer = world().Patch(kube::kResourceClaims, "c", "", type, patch);
    EXPECT_EQ(answer.status, 409) << type;
    EXPECT_EQ(TextAt(answer.body, {"reason"}), "Conflict") << type;
  }
}

TEST_P(ApiPatch, AnotherUidIsInvalidAndNamesTheField) {
  world().Prepare(NewClaim("c").Allocated());
  const Json patch = {{"metadata", {{"uid", kOtherUid}}}, {"status", {{"allocation", nullptr}}}};
  for (const char* type : {kMerge, kStrategic}) {
    const Answer answer = world().Patch(kube::kResourceClaims, "c", "status", type, patch);
    EXPECT_EQ(answer.status, 422) << type;
    const Json& causes = At(answer.body, {"details", "causes"});
    ASSERT_FALSE(causes.empty());
    EXPECT_EQ(TextAt(causes[0], {"field"}), "metadata.uid");
  }
  EXPECT_TRUE(IsAllocated(Claim("c")));
}

TEST_P(ApiPatch, AStaleVersionIsSeenBeforeAnotherUid) {
  world().Prepare(NewClaim("c"));
  const Json patch = {{"metadata", {{"uid", kOtherUid}, {"resourceVersion", "1"}}}};
  EXPECT_EQ(world().Patch(kube::kResourceClaims, "c", "", kMerge, patch).status, 409);
}

TEST_P(ApiPatch, TheStatusSubresourceChangesStatusOnly) {
  world().Prepare(NewClaim("c").Protected());
  const Json patch = {{"metadata", {{"labels", {{"a", "1"}}}, {"finalizers", Json::array()}}},
                      {"status", {{"allocation", AllocationOf("gpu-0")}}}};
  const Answer answer = world().Patch(kube::kResourceClaims, "c", "status", kMerge, patch);
  EXPECT_EQ(answer.status, 200) << answer.Describe();
  EXPECT_TRUE(IsAllocated(answer.body));
  EXPECT_TRUE(HasFinalizer(answer.body, api::kClaimFinalizer));
  EXPECT_TRUE(At(answer.body, {"metadata", "labels"}).is_null());
}

TEST_P(ApiPatch, TheMainResourceLeavesStatusAlone) {
  world().Prepare(NewClaim("c").Allocated());
  const Json patch = {{"metadata", {{"finalizers", nullptr}}}, {"status", nullptr}};
  const Answer answer = world().Patch(kube::kResourceClaims, "c", "", kMerge, patch);
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(IsAllocated(answer.body));
  EXPECT_FALSE(HasFinalizer(answer.body, api::kClaimFinalizer));
}

TEST_P(ApiPatch, AnotherNameInThePatchIsABadRequest) {
  world().Prepare(NewClaim("c"));
  const Json patch = {{"metadata", {{"name", "d"}}}};
  EXPECT_EQ(world().Patch(kube::kResourceClaims, "c", "", kMerge, patch).status, 400);
}

TEST_P(ApiPatch, AnUnknownPatchTypeIsRefused) {
  world().Prepare(NewClaim("c"));
  EXPECT_EQ(
      world().Patch(kube::kResourceClaims, "c", "", "application/json", Json::object()).status,
      415);
}

// --- Strategic merge ---

TEST_P(ApiPatch, AStrategicMergeAddsAConsumerInFront) {
  world().Prepare(NewClaim("c").Allocated().Reserved("p1", "u1"));
  const Json patch = Status({{"reservedFor", Json::array({ConsumerOf("p2", "u2")})}});
  const Answer answer = world().Patch(kube::kResourceClaims, "c", "status", kStrategic, patch);
  EXPECT_EQ(ConsumersOf(answer.body), (std::vector<std::string>{"p2", "p1"}));
}

TEST_P(ApiPatch, AStrategicMergeOrdersWhatItMentions) {
  world().Prepare(
      NewClaim("c").Allocated().Reserved("p1", "u1").Reserved("p2", "u2").Reserved("p3", "u3"));
  const Json patch =
      Status({{"reservedFor", Json::array({ConsumerOf("p2", "u2"), ConsumerOf("p4", "u4")})}});
  const Answer answer = world().Patch(kube::kResourceClaims, "c", "status", kStrategic, patch);
  EXPECT_EQ(ConsumersOf(answer.body), (std::vector<std::string>{"p1", "p2", "p4", "p3"}));
}

TEST_P(ApiPatch, AStrategicMergeRemovesOneConsumerByUid) {
  world().Prepare(NewClaim("c").Allocated().Reserved("p1", "u1").Reserved("p2", "u2"));
  const Json drop = Json{{"$patch", "delete"}, {"uid", "u1"}};
  const Json patch = Status({{"reservedFor", Json::array({drop})}});
  Answer answer = world().Patch(kube::kResourceClaims, "c", "status", kStrategic, patch);
  EXPECT_EQ(ConsumersOf(answer.body), (std::vector<std::string>{"p2"}));
  const std::string version = VersionOf(answer.body);
  answer = world().Patch(kube::kResourceClaims, "c", "status", kStrategic, patch);
  EXPECT_EQ(answer.status, 200) << "removing what is gone is no error";
  EXPECT_EQ(VersionOf(answer.body), version);
}

TEST_P(ApiPatch, AStrategicMergeCanRemoveTheLastConsumer) {
  world().Prepare(NewClaim("c").Allocated().Reserved("p1", "u1"));
  const Json drop = Json{{"$patch", "delete"}, {"uid", "u1"}};
  const Json patch = Status({{"reservedFor", Json::array({drop})}});
  const Answer answer = world().Patch(kube::kResourceClaims, "c", "status", kStrategic, patch);
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(ConsumersOf(answer.body).empty());
  EXPECT_TRUE(IsAllocated(answer.body));
}

TEST_P(ApiPatch, AStrategicMergeRemovesOneFinalizer) {
  world().Prepare(NewClaim("c").Protected().Finalizer("example.com/other"));
  const Json patch = {
      {"metadata", {{"$deleteFromPrimitiveList/finalizers", {std::string(api::kClaimFinalizer)}}}}};
  const Answer answer = world().Patch(kube::kResourceClaims, "c", "", kStrategic, patch);
  EXPECT_EQ(At(answer.body, {"metadata", "finalizers"}), (Json{"example.com/other"}));
}

TEST_P(ApiPatch, AMergePatchReplacesLists) {
  world().Prepare(NewClaim("c").Allocated().Reserved("p1", "u1"));
  const Json patch = Status({{"reservedFor", Json::array({ConsumerOf("p2", "u2")})}});
  const Answer answer = world().Patch(kube::kResourceClaims, "c", "status", kMerge, patch);
  EXPECT_EQ(ConsumersOf(answer.body), (std::vector<std::string>{"p2"}));
}

// --- Pod statuses by merge ---

TEST_P(ApiPatch, AMergePatchOfPodStatusesIsByNameWhenStrategic) {
  world().Prepare(NewPod("p").Entry("a").Template("t").Entry("b").Template("t").Status("a", "c1"));
  const Json entry = {{"name", "b"}, {"resourceClaimName", "c2"}};
  const Json patch = Status({{"resourceClaimStatuses", Json::array({entry})}});
  const Answer answer = world().Patch(kube::kPods, "p", "status", kStrategic, patch);
  EXPECT_EQ(ClaimNameOf(answer.body, "a"), "c1");
  EXPECT_EQ(ClaimNameOf(answer.body, "b"), "c2");
}

TEST_P(ApiPatch, AbsentPodStatusesAreKeptAndEmptyOnesAreCleared) {
  world().Prepare(NewPod("p").Entry("a").Template("t").Status("a", "c1"));
  Answer answer = world().Patch(kube::kPods, "p", "status", kMerge,
                                Status({{"resourceClaimStatuses", nullptr}}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(ClaimNameOf(answer.body, "a"), "c1");
  answer = world().Patch(kube::kPods, "p", "status", kMerge,
                         Status({{"resourceClaimStatuses", Json::array()}}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(ClaimNameOf(answer.body, "a"), "");
}

TEST_P(ApiPatch, AStatusEntryMustBeInThePodsSpec) {
  world().Prepare(NewPod("p").Entry("a").Template("t"));
  const Json entry = {{"name", "x"}, {"resourceClaimName", "c"}};
  const Json patch = Status({{"resourceClaimStatuses", Json::array({entry})}});
  EXPECT_EQ(world().Patch(kube::kPods, "p", "status", kMerge, patch).status, 422);
}

// --- Server-side apply of pod statuses ---

class ApiApply : public Conformance {
 protected:
  using Entries = std::vector<std::pair<std::string, std::string>>;

  Answer Apply(const std::string& manager, const Entries& entries, bool force = true,
               Json meta = Json::object()) {
    Json list = Json::array();
    for (const auto& [name, claim] : entries) {
      list.push_back(Json{{"name", name}, {"resourceClaimName", claim}});
    }
    meta["name"] = "p";
    meta["namespace"] = world().ns();
    const Json patch = {{"apiVersion", "v1"},
                        {"kind", "Pod"},
                        {"metadata", std::move(meta)},
                        {"status", {{"resourceClaimStatuses", std::move(list)}}}};
    return world().Patch(kube::kPods, "p",
                         "status?fieldManager=" + manager + (force ? "&force=true" : ""), kApply,
                         patch);
  }

  void PreparePod() {
    world().Prepare(
        NewPod("p").Entry("a").Template("t").Entry("b").Template("t").Entry("c").Template("t"));
  }
};
INSTANTIATE_TEST_SUITE_P(Fake, ApiApply, ::testing::Values(WorldKind::kFake));
INSTANTIATE_TEST_SUITE_P(Real, ApiApply, ::testing::Values(WorldKind::kReal));

TEST_P(ApiApply, EntriesAreAdded) {
  PreparePod();
  const Answer answer = Apply("m", {{"a", "c1"}, {"b", "c2"}});
  EXPECT_EQ(answer.status, 200) << answer.Describe();
  EXPECT_EQ(ClaimNameOf(Pod("p"), "a"), "c1");
  EXPECT_EQ(ClaimNameOf(Pod("p"), "b"), "c2");
}

TEST_P(ApiApply, WhatTheManagerNoLongerListsIsRemoved) {
  PreparePod();
  Apply("m", {{"a", "c1"}, {"b", "c2"}});
  Apply("m", {{"b", "c2"}});
  EXPECT_EQ(ClaimNameOf(Pod("p"), "a"), "");
  EXPECT_EQ(ClaimNameOf(Pod("p"), "b"), "c2");
}

TEST_P(ApiApply, EntriesOfOthersSurvive) {
  PreparePod();
  Apply("other", {{"a", "c1"}});
  const Json entry = {{"name", "b"}, {"resourceClaimName", "c2"}};
  world().Patch(kube::kPods, "p", "status", kStrategic,
                Status({{"resourceClaimStatuses", Json::array({entry})}}));
  Apply("m", {{"c", "c3"}});
  EXPECT_EQ(ClaimNameOf(Pod("p"), "a"), "c1");
  EXPECT_EQ(ClaimNameOf(Pod("p"), "b"), "c2");
  EXPECT_EQ(ClaimNameOf(Pod("p"), "c"), "c3");
}

TEST_P(ApiApply, ASharedEntrySurvivesThatOneOwnerLeaves) {
  PreparePod();
  Apply("other", {{"a", "c1"}});
  Apply("m", {{"a", "c1"}, {"b", "c2"}});
  Apply("m", {{"b", "c2"}});
  EXPECT_EQ(ClaimNameOf(Pod("p"), "a"), "c1");
}

TEST_P(ApiApply, AnotherManagersEntryIsAConflictUnlessForced) {
  PreparePod();
  Apply("other", {{"a", "c1"}});
  const Answer refused = Apply("m", {{"a", "c2"}}, false);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(TextAt(refused.body, {"reason"}), "Conflict");
  EXPECT_EQ(ClaimNameOf(Pod("p"), "a"), "c1");
  EXPECT_EQ(Apply("m", {{"a", "c2"}}).status, 200);
  EXPECT_EQ(ClaimNameOf(Pod("p"), "a"), "c2");
}

TEST_P(ApiApply, AForcedEntryBelongsToTheNewManagerAlone) {
  PreparePod();
  Apply("other", {{"a", "c1"}});
  Apply("m", {{"a", "c2"}, {"b", "c3"}});
  Apply("m", {{"b", "c3"}});
  EXPECT_EQ(ClaimNameOf(Pod("p"), "a"), "");
}

TEST_P(ApiApply, ApplyingTheSameAgainMakesNoVersion) {
  PreparePod();
  const std::string version = VersionOf(Apply("m", {{"a", "c1"}}).body);
  EXPECT_EQ(VersionOf(Apply("m", {{"a", "c1"}}).body), version);
}

TEST_P(ApiApply, TakingAShareOfAnEntryIsAVersion) {
  PreparePod();
  const std::string version = VersionOf(Apply("other", {{"a", "c1"}}).body);
  EXPECT_NE(VersionOf(Apply("m", {{"a", "c1"}}).body), version);
}

TEST_P(ApiApply, AnEntryThatIsNotInTheSpecIsInvalid) {
  PreparePod();
  EXPECT_EQ(Apply("m", {{"x", "c1"}}).status, 422);
}

TEST_P(ApiApply, AnotherUidIsRefused) {
  PreparePod();
  const Answer answer = Apply("m", {{"a", "c1"}}, true, {{"uid", kOtherUid}});
  EXPECT_EQ(answer.status, 422) << answer.Describe();
  EXPECT_EQ(ClaimNameOf(Pod("p"), "a"), "");
}

TEST_P(ApiApply, AStaleVersionIsAConflict) {
  PreparePod();
  EXPECT_EQ(Apply("m", {{"a", "c1"}}, true, {{"resourceVersion", "1"}}).status, 409);
}

TEST_P(ApiApply, AManagerMustBeNamed) {
  PreparePod();
  EXPECT_EQ(Apply("", {{"a", "c1"}}).status, 422);
}

TEST_P(ApiApply, APodThatIsGoneIsNotFound) { EXPECT_EQ(Apply("m", {{"a", "c1"}}).status, 404); }

}  // namespace
}  // namespace dra::test
