// SPDX-License-Identifier: Apache-2.0
//
// Upstream's sync scenarios for pods (TestSyncHandler, 1.37) and the weak points that are fixed, as
// plans.
#include "claims/pod_plan.h"

#include <gtest/gtest.h>

#include "base/time.h"
#include "support/objects.h"

namespace dra::claims {
namespace {

using test::ClaimFor;
using test::FromClaim;
using test::FromTemplate;
using test::MakeClaim;
using test::MakePod;
using test::Share;

const Clock::Wall kNow = *ParseTime("2026-12-01T00:00:00Z");

TemplatePtr Template() { return Share(api::ResourceClaimTemplate{}); }

// A view of one template entry "gpu" of `pod`.
PodView View(api::Pod pod, ClaimPtr named = nullptr, std::vector<ClaimPtr> made_for = {},
             TemplatePtr claim_template = Template()) {
  pod.claims = {FromTemplate("gpu")};
  EntryView entry{pod.claims[0], ResolveEntry(pod, pod.claims[0]), std::move(named),
                  std::move(made_for), std::move(claim_template)};
  return {Share(std::move(pod)), {std::move(entry)}};
}

template <class Decision>
bool Only(const PodPlan& plan) {
  return plan.entries.size() == 1 && std::holds_alternative<Decision>(plan.entries[0]);
}

api::Pod Named() {
  api::Pod pod = MakePod();
  pod.claim_statuses = {{"gpu", "p-gpu-x"}};
  return pod;
}

TEST(PodPlan, CreatesAMissingClaim) { EXPECT_TRUE(Only<Create>(PlanPod(View(MakePod()), kNow))); }

TEST(PodPlan, KeepsAnOwnedClaimThatTheStatusNames) {
  const auto claim = Share(ClaimFor(Named(), "gpu", "p-gpu-x"));
  EXPECT_TRUE(Only<Keep>(PlanPod(View(Named(), claim, {claim}), kNow)));
}

TEST(PodPlan, RecreatesAClaimThatIsGoneOrForeign) {
  EXPECT_TRUE(Only<Create>(PlanPod(View(Named()), kNow)));
  EXPECT_TRUE(Only<Create>(PlanPod(View(Named(), Share(MakeClaim("p-gpu-x"))), kNow)));
}

TEST(PodPlan, AdoptsAnOwnedClaimWithoutTemplate) {
  const auto claim = Share(ClaimFor(MakePod(), "gpu", "p-gpu-old"));
  const PodPlan plan = PlanPod(View(MakePod(), nullptr, {claim}, nullptr), kNow);
  ASSERT_TRUE(Only<Record>(plan));
  EXPECT_EQ(std::get<Record>(plan.entries[0]).claim_name, "p-gpu-old");
}

TEST(PodPlan, MissingTemplateBlocksAndNamesIt) {
  const PodPlan plan = PlanPod(View(MakePod(), nullptr, {}, nullptr), kNow);
  ASSERT_TRUE(Only<Blocked>(plan));
  const Problem& problem = std::get<Blocked>(plan.entries[0]).problem;
  EXPECT_EQ(problem.reason, kFailedCreation);
  EXPECT_NE(problem.message.find("\"one-gpu\": not found"), std::string::npos);
}

TEST(PodPlan, NotNeededEntryIsLeftAlone) {
  api::Pod pod = MakePod();
  pod.claim_statuses = {{"gpu", std::nullopt}};
  EXPECT_TRUE(Only<Keep>(PlanPod(View(pod), kNow)));
}

TEST(PodPlan, EntryWithNeitherNameIsReported) {
  const EntryView entry{{"gpu", std::nullopt, std::nullopt}, Unsupported{}, nullptr, {}, nullptr};
  EXPECT_TRUE(Only<Blocked>(PlanPod({Share(MakePod()), {entry}}, kNow)));
}

TEST(PodPlan, W1TerminalPodGetsNoClaims) {
  for (const char* phase : {"Succeeded", "Failed"}) {
    api::Pod pod = MakePod();
    pod.phase = phase;
    EXPECT_TRUE(PlanPod(View(pod), kNow).entries.empty()) << phase;
  }
}

TEST(PodPlan, DeletedPodGetsNothing) {
  api::Pod pod = MakePod();
  pod.meta.deletion_timestamp = "2026-12-01T00:00:00Z";
  EXPECT_TRUE(PlanPod(View(pod), kNow).entries.empty());
}

// The plan for `pod` on node n1 with a user's claim "shared" in this state.
PodPlan PlanWithShared(api::Pod pod, const api::ResourceClaim& shared) {
  pod.node_name = "n1";
  const api::PodClaimEntry entry = FromClaim("gpu", "shared");
  pod.claims = {entry};
  return PlanPod({Share(pod), {{entry, UserClaim{"shared"}, Share(shared), {}, nullptr}}}, kNow);
}

api::ResourceClaim AllocatedShared() {
  api::ResourceClaim shared = MakeClaim("shared");
  shared.allocated = true;
  return shared;
}

TEST(PodPlan, ReservesAnAllocatedClaimForAPodOnANode) {
  EXPECT_EQ(PlanWithShared(MakePod(), AllocatedShared()).reserve.size(), 1U);
}

TEST(PodPlan, W2FinishedPodIsNotReservedAgain) {
  api::Pod pod = MakePod();
  pod.phase = "Succeeded";
  EXPECT_TRUE(PlanWithShared(pod, AllocatedShared()).reserve.empty());
}

TEST(PodPlan, W18PodWithNodeAndUnallocatedClaimIsExplained) {
  const PodPlan plan = PlanWithShared(MakePod(), MakeClaim("shared"));
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_EQ(plan.problems[0].reason, kClaimNotAllocated);
}

TEST(PodPlan, ProblemOfAYoungPodWaits) {
  api::Pod pod = MakePod();
  pod.meta.creation_timestamp = "2026-11-30T23:59:58Z";
  const PodPlan plan = PlanWithShared(pod, MakeClaim("shared"));
  EXPECT_TRUE(plan.problems.empty());
  ASSERT_TRUE(plan.look_again.has_value());
  EXPECT_EQ(*plan.look_again, Clock::Duration(std::chrono::seconds(9)));
}

TEST(PodPlan, FullClaimIsReportedAndNotReserved) {
  api::ResourceClaim shared = AllocatedShared();
  for (std::size_t i = 0; i < api::kMaxReservedFor; ++i) {
    shared.reserved_for.push_back(test::Consumer("q", "q" + std::to_string(i)));
  }
  const PodPlan plan = PlanWithShared(MakePod(), shared);
  EXPECT_TRUE(plan.reserve.empty());
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_EQ(plan.problems[0].reason, kClaimFull);
}

TEST(PodPlan, W16DyingClaimIsNotAdopted) {
  api::ResourceClaim claim = ClaimFor(MakePod(), "gpu", "p-gpu-x");
  claim.meta.deletion_timestamp = "2026-12-01T00:00:00Z";
  EXPECT_TRUE(Only<WaitForEnd>(PlanPod(View(MakePod(), nullptr, {Share(claim)}), kNow)));
}

TEST(PodPlan, W6BlockedEntryDoesNotHideItsSibling) {
  api::Pod pod = MakePod();
  pod.claims = {FromTemplate("a", "missing"), FromTemplate("b")};
  const PodView view{Share(pod),
                     {{pod.claims[0], NotGenerated{}, nullptr, {}, nullptr},
                      {pod.claims[1], NotGenerated{}, nullptr, {}, Template()}}};
  const PodPlan plan = PlanPod(view, kNow);
  EXPECT_TRUE(std::holds_alternative<Blocked>(plan.entries[0]));
  EXPECT_TRUE(std::holds_alternative<Create>(plan.entries[1]));
}

TEST(PodPlan, W7ReservesTheClaimThatIsRecordedInTheSamePass) {
  api::Pod pod = MakePod();
  pod.node_name = "n1";
  api::ResourceClaim claim = ClaimFor(pod, "gpu", "p-gpu-x");
  claim.allocated = true;
  EXPECT_EQ(PlanPod(View(pod, nullptr, {Share(claim)}), kNow).reserve.size(), 1U);
}

TEST(PodPlan, W15DeletingPodOnANodeGetsItsNamesBack) {
  api::Pod pod = MakePod();
  pod.node_name = "n1";
  pod.meta.deletion_timestamp = "2026-12-01T00:00:00Z";
  const auto claim = Share(ClaimFor(pod, "gpu", "p-gpu-x"));
  EXPECT_TRUE(Only<Record>(PlanPod(View(pod, nullptr, {claim}), kNow)));
  EXPECT_TRUE(Only<Keep>(PlanPod(View(pod), kNow)));
}

TEST(PodPlan, TwinsAreReported) {
  const auto a = Share(ClaimFor(MakePod(), "gpu", "a"));
  const auto b = Share(ClaimFor(MakePod(), "gpu", "b"));
  const PodPlan plan = PlanPod(View(MakePod(), nullptr, {a, b}), kNow);
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_EQ(plan.problems[0].reason, kDuplicateClaims);
}

TEST(MergeStatuses, C04ListIsCompleteAndSorted) {
  api::Pod pod = MakePod();
  pod.claim_statuses = {{"model", "p-model"}, {"none", std::nullopt}, {"gpu", "p-gpu-old"}};
  const std::vector<api::PodClaimStatus> expected{{"gpu", "p-gpu-new"}, {"model", "p-model"}};
  EXPECT_EQ(MergeStatuses(pod, {{"gpu", "p-gpu-new"}}), expected);
}

TEST(PodNeedsWork, OnlyWhileSomethingIsToBeDone) {
  api::Pod pod = MakePod();
  pod.claims = {FromTemplate("gpu")};
  ClaimPtr claim;
  const ClaimFinder find = [&](const std::string&) { return claim; };
  EXPECT_TRUE(PodNeedsWork(pod, find));
  pod.claim_statuses = {{"gpu", "p-gpu-x"}};
  EXPECT_TRUE(PodNeedsWork(pod, find));
  claim = Share(ClaimFor(pod, "gpu", "p-gpu-x"));
  EXPECT_FALSE(PodNeedsWork(pod, find));
  pod.node_name = "n1";
  EXPECT_TRUE(PodNeedsWork(pod, find));
  pod.phase = "Failed";
  EXPECT_FALSE(PodNeedsWork(pod, find));
}

}  // namespace
}  // namespace dra::claims
