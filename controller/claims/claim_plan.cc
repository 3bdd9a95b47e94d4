// SPDX-License-Identifier: Apache-2.0
#include "claims/claim_plan.h"

#include <algorithm>

#include "base/time.h"

namespace dra::claims {
namespace {

bool Finished(PodState state) { return state == PodState::kDone || state == PodState::kGone; }

// Allocation, finalizer and end of a claim that nobody holds (any more).
void PlanEnd(const ClaimView& view, ClaimPlan& plan) {
  const api::ResourceClaim& claim = *view.claim;
  const bool deleting = claim.meta.deleting();
  plan.remove = !deleting && view.owned_by_pod && Finished(view.owner);  // W14: never delete twice
  if (view.owned_by_pod && view.owner == PodState::kUnknown && !deleting) plan.incomplete = true;
  // Deallocation happens on the transition to "no consumers", or when the claim is to end. An
  // allocation that nobody has reserved yet is the scheduler's business; without the finalizer it
  // is never ours.
  const bool ending = !plan.release.empty() || deleting || plan.remove;
  const bool ours = claim.meta.HasFinalizer(api::kClaimFinalizer);
  plan.deallocate = ending && ours && claim.allocated;
  plan.remove_finalizer = ending && ours;
}

void ReportForeignFinalizers(const ClaimView& view, Clock::Wall now, ClaimPlan& plan) {
  const api::ResourceClaim& claim = *view.claim;
  if (!claim.meta.deleting()) return;
  std::vector<std::string> others;
  std::copy_if(claim.meta.finalizers.begin(), claim.meta.finalizers.end(),
               std::back_inserter(others),
               [](const std::string& finalizer) { return finalizer != api::kClaimFinalizer; });
  if (others.empty()) return;
  const auto since = ParseTime(*claim.meta.deletion_timestamp);
  const auto left = since ? *since + kFinalizerPatience - now : Clock::Wall::duration::zero();
  if (left <= Clock::Wall::duration::zero()) {
    plan.problems.push_back(FinalizerBlocks(others));
  } else {
    plan.look_again = left + std::chrono::seconds(1);
  }
}

}  // namespace

ClaimPlan PlanClaim(const ClaimView& view, Clock::Wall now) {
  ClaimPlan plan;
  std::vector<api::ConsumerReference> foreign;
  std::size_t kept = 0;
  for (const ConsumerView& consumer : view.consumers) {
    if (consumer.is_pod && Finished(consumer.state)) {
      plan.release.push_back(consumer.reference);
      continue;
    }
    ++kept;
    if (!consumer.is_pod) {
      foreign.push_back(consumer.reference);
    } else if (consumer.state == PodState::kUnknown) {
      plan.incomplete = true;
    }
  }
  plan.release_all = kept == 0;
  if (kept == 0) {
    PlanEnd(view, plan);
    ReportForeignFinalizers(view, now, plan);
  } else if (foreign.size() == kept && (!plan.release.empty() || view.claim->meta.deleting())) {
    plan.problems.push_back(UnknownConsumers(foreign));
  }
  return plan;
}

}  // namespace dra::claims
