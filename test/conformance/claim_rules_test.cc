// SPDX-License-Identifier: Apache-2.0
//
// What the API server allows of the status of a claim (upstream-behaviour 14).
#include "api/resource_claim.h"
#include "conformance/conformance.h"

namespace dra::test {
namespace {

class ClaimRules : public Conformance {
 protected:
  Answer PatchStatus(const Json& fields, const char* type = kMerge) {
    return world().Patch(kube::kResourceClaims, "c", "status", type, {{"status", fields}});
  }
};
INSTANTIATE_TEST_SUITE_P(Fake, ClaimRules, ::testing::Values(WorldKind::kFake));
INSTANTIATE_TEST_SUITE_P(Real, ClaimRules, ::testing::Values(WorldKind::kReal));

Json Consumers(int count) {
  Json list = Json::array();
  for (int i = 0; i < count; ++i) {
    const std::string text = std::to_string(i);
    list.push_back(Json{{"resource", "pods"}, {"name", "p" + text}, {"uid", "u" + text}});
  }
  return list;
}

TEST_P(ClaimRules, TheSpecIsImmutable) {
  world().Prepare(NewClaim("c"));
  const Json patch = {{"spec", {{"devices", {{"requests", Json::array()}}}}}};
  EXPECT_EQ(world().Patch(kube::kResourceClaims, "c", "", kMerge, patch).status, 422);
}

TEST_P(ClaimRules, TheSpecOfATemplateIsImmutable) {
  world().Prepare(NewTemplate("t"));
  const Json patch = {{"spec", {{"metadata", {{"labels", {{"a", "1"}}}}}}}};
  EXPECT_EQ(world().Patch(kube::kResourceClaimTemplates, "t", "", kMerge, patch).status, 422);
}

TEST_P(ClaimRules, AClaimIsAllocatedBeforeItIsReserved) {
  world().Prepare(NewClaim("c"));
  EXPECT_EQ(PatchStatus({{"reservedFor", Consumers(1)}}).status, 422);
}

TEST_P(ClaimRules, TheAllocationCannotGoWhileConsumersStay) {
  world().Prepare(NewClaim("c").Allocated().Reserved("p", "u"));
  EXPECT_EQ(PatchStatus({{"allocation", nullptr}}).status, 422);
}

TEST_P(ClaimRules, ConsumersAndAllocationCanGoTogether) {
  world().Prepare(NewClaim("c").Allocated().Reserved("p", "u"));
  const Answer answer = PatchStatus({{"allocation", nullptr}, {"reservedFor", nullptr}});
  EXPECT_EQ(answer.status, 200) << answer.Describe();
  EXPECT_FALSE(IsAllocated(answer.body));
  EXPECT_TRUE(HasFinalizer(answer.body, api::kClaimFinalizer));
}

TEST_P(ClaimRules, AnAllocationCannotBecomeAnother) {
  world().Prepare(NewClaim("c").Allocated("gpu-0"));
  Json other = AllocationOf("gpu-1");
  EXPECT_EQ(PatchStatus({{"allocation", other}}).status, 422);
}

TEST_P(ClaimRules, AnAllocationAnswersTheRequestsOfTheClaim) {
  world().Prepare(NewClaim("c"));
  Json allocation = AllocationOf("gpu-0");
  allocation["devices"]["results"][0]["request"] = "unknown";
  EXPECT_EQ(PatchStatus({{"allocation", allocation}}).status, 422);
}

TEST_P(ClaimRules, AtMost256ConsumersFit) {
  world().Prepare(NewClaim("c").Allocated());
  EXPECT_EQ(PatchStatus({{"reservedFor", Consumers(257)}}).status, 422);
  EXPECT_EQ(PatchStatus({{"reservedFor", Consumers(256)}}).status, 200);
}

TEST_P(ClaimRules, AConsumerIsThereOnce) {
  world().Prepare(NewClaim("c").Allocated());
  Json twice = Consumers(1);
  twice.push_back(twice[0]);
  EXPECT_EQ(PatchStatus({{"reservedFor", twice}}).status, 422);
}

TEST_P(ClaimRules, AConsumerHasResourceAndName) {
  world().Prepare(NewClaim("c").Allocated());
  const Json nameless = Json::array({Json{{"resource", "pods"}, {"uid", "u"}}});
  EXPECT_EQ(PatchStatus({{"reservedFor", nameless}}).status, 422);
}

TEST_P(ClaimRules, ADeletingClaimLosesConsumersAndGainsNone) {
  world().Prepare(NewClaim("c").Allocated().Reserved("p0", "u0").Deleting());
  EXPECT_EQ(PatchStatus({{"reservedFor", Consumers(2)}}).status, 422);
  EXPECT_EQ(PatchStatus({{"reservedFor", nullptr}}).status, 200);
}

TEST_P(ClaimRules, DeviceStatusGoesWithTheAllocation) {
  world().Prepare(NewClaim("c").Allocated("gpu-0").DeviceStatus("gpu-0"));
  ASSERT_EQ(At(Claim("c"), {"status", "devices"}).size(), 1U);
  const Answer answer = PatchStatus({{"allocation", nullptr}});
  EXPECT_EQ(answer.status, 200) << answer.Describe();
  EXPECT_TRUE(At(answer.body, {"status", "devices"}).is_null());
}

TEST_P(ClaimRules, OnlyAllocatedDevicesHaveStatus) {
  world().Prepare(NewClaim("c").Allocated("gpu-0"));
  const Json device = {{"driver", "gpu.example.com"}, {"pool", "n1"}, {"device", "gpu-9"}};
  EXPECT_EQ(PatchStatus({{"devices", Json::array({device})}}).status, 422);
}

TEST_P(ClaimRules, APodsSpecStaysButItsGatesCanGo) {
  world().Prepare(NewPod("p").Entry("a").Template("t").Gate("example.com/g"));
  const Json entry = {{"name", "a"}, {"resourceClaimTemplateName", "other"}};
  Json patch = {{"spec", {{"resourceClaims", Json::array({entry})}}}};
  EXPECT_EQ(world().Patch(kube::kPods, "p", "", kMerge, patch).status, 422);
  patch = {{"spec", {{"schedulingGates", nullptr}}}};
  EXPECT_EQ(world().Patch(kube::kPods, "p", "", kMerge, patch).status, 200);
}

}  // namespace
}  // namespace dra::test
