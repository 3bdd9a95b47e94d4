// SPDX-License-Identifier: Apache-2.0
//
// Upstream's sync scenarios for claims (TestSyncHandler, 1.37) and the weak points that are fixed,
// as plans.
#include "claims/claim_plan.h"

#include <gtest/gtest.h>

#include "base/time.h"
#include "support/objects.h"

namespace dra::claims {
namespace {

using test::Consumer;
using test::MakeClaim;
using test::Share;

const Clock::Wall kNow = *ParseTime("2026-12-01T00:00:00Z");

api::ResourceClaim Allocated() {
  api::ResourceClaim claim = MakeClaim("c");
  claim.allocated = true;
  claim.meta.finalizers = {std::string(api::kClaimFinalizer)};
  return claim;
}

ClaimView View(const api::ResourceClaim& claim, const std::vector<PodState>& consumers) {
  ClaimView view;
  view.claim = Share(claim);
  for (std::size_t i = 0; i < consumers.size(); ++i) {
    const std::string id = "p" + std::to_string(i);
    view.consumers.push_back({Consumer(id, id), true, consumers[i]});
  }
  return view;
}

TEST(ClaimPlan, LiveConsumerKeepsEverything) {
  EXPECT_FALSE(PlanClaim(View(Allocated(), {PodState::kLive}), kNow).Writes());
}

TEST(ClaimPlan, UnknownConsumerKeepsEverythingAndIsAskedAgain) {
  const ClaimPlan plan = PlanClaim(View(Allocated(), {PodState::kUnknown}), kNow);
  EXPECT_FALSE(plan.Writes());
  EXPECT_TRUE(plan.incomplete);
}

TEST(ClaimPlan, UnknownConsumerDoesNotHideItsSibling) {
  const ClaimPlan plan = PlanClaim(View(Allocated(), {PodState::kUnknown, PodState::kGone}), kNow);
  EXPECT_EQ(plan.release.size(), 1U);
  EXPECT_FALSE(plan.release_all);
  EXPECT_FALSE(plan.deallocate);
}

TEST(ClaimPlan, LastConsumerGoneDeallocates) {
  const ClaimPlan plan = PlanClaim(View(Allocated(), {PodState::kGone}), kNow);
  EXPECT_TRUE(plan.release_all);
  EXPECT_TRUE(plan.deallocate);
  EXPECT_TRUE(plan.remove_finalizer);
  EXPECT_FALSE(plan.remove);
}

TEST(ClaimPlan, WithoutFinalizerTheAllocationStays) {
  api::ResourceClaim claim = Allocated();
  claim.meta.finalizers.clear();
  const ClaimPlan plan = PlanClaim(View(claim, {PodState::kDone}), kNow);
  EXPECT_TRUE(plan.release_all);
  EXPECT_FALSE(plan.deallocate);
  EXPECT_FALSE(plan.remove_finalizer);
}

TEST(ClaimPlan, AllocatedClaimWithoutConsumersIsLeftToTheScheduler) {
  EXPECT_FALSE(PlanClaim(View(Allocated(), {}), kNow).Writes());
}

TEST(ClaimPlan, DeletingClaimWithoutConsumersIsFreed) {
  api::ResourceClaim claim = Allocated();
  claim.meta.deletion_timestamp = "2026-12-01T00:00:00Z";
  const ClaimPlan plan = PlanClaim(View(claim, {}), kNow);
  EXPECT_TRUE(plan.deallocate);
  EXPECT_TRUE(plan.remove_finalizer);
}

ClaimView Owned(const api::ResourceClaim& claim, const std::vector<PodState>& consumers,
                PodState owner) {
  ClaimView view = View(claim, consumers);
  view.owned_by_pod = true;
  view.owner = owner;
  return view;
}

TEST(ClaimPlan, ClaimOfADoneOrGonePodIsDeleted) {
  for (const PodState owner : {PodState::kDone, PodState::kGone}) {
    EXPECT_TRUE(PlanClaim(Owned(Allocated(), {owner}, owner), kNow).remove);
    EXPECT_TRUE(PlanClaim(Owned(MakeClaim("c"), {}, owner), kNow).remove);
  }
}

TEST(ClaimPlan, ClaimOfALiveOrUnknownPodIsNotDeleted) {
  EXPECT_FALSE(PlanClaim(Owned(MakeClaim("c"), {}, PodState::kLive), kNow).remove);
  const ClaimPlan plan = PlanClaim(Owned(MakeClaim("c"), {}, PodState::kUnknown), kNow);
  EXPECT_FALSE(plan.remove);
  EXPECT_TRUE(plan.incomplete);
}

TEST(ClaimPlan, W14DeletingClaimIsNotDeletedAgain) {
  api::ResourceClaim claim = MakeClaim("c");
  claim.meta.deletion_timestamp = "2026-12-01T00:00:00Z";
  claim.meta.finalizers = {"example.com/hold"};
  const ClaimPlan plan = PlanClaim(Owned(claim, {}, PodState::kGone), kNow);
  EXPECT_FALSE(plan.Writes());
  EXPECT_TRUE(plan.look_again.has_value());
}

TEST(ClaimPlan, ForeignFinalizerIsReportedWhenItLasts) {
  api::ResourceClaim claim = MakeClaim("c");
  claim.meta.deletion_timestamp = "2026-11-30T23:59:00Z";
  claim.meta.finalizers = {"example.com/hold"};
  const ClaimPlan plan = PlanClaim(View(claim, {}), kNow);
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_NE(plan.problems[0].message.find("example.com/hold"), std::string::npos);
}

TEST(ClaimPlan, C09UnknownKindKeepsTheAllocationButNotTheFinishedPod) {
  ClaimView view = View(Allocated(), {PodState::kDone});
  view.consumers.push_back(
      {{"vm.example.com", "virtualmachines", "vm1", "u"}, false, PodState::kUnknown});
  const ClaimPlan plan = PlanClaim(view, kNow);
  EXPECT_EQ(plan.release.size(), 1U);
  EXPECT_FALSE(plan.release_all);
  EXPECT_FALSE(plan.deallocate);
  EXPECT_FALSE(plan.incomplete);
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_EQ(plan.problems[0].reason, kUnknownConsumer);
}

}  // namespace
}  // namespace dra::claims
