// SPDX-License-Identifier: Apache-2.0
#include "claims/item_reconciler.h"

#include "base/log.h"
#include "claims/claim_plan.h"
#include "claims/failure.h"
#include "claims/pod_plan.h"

namespace dra::claims {

ItemReconciler::ItemReconciler(const Mirrors& mirrors, const Execution& execution,
                               BlockedPods& blocked, kube::Client& reads)
    : mirrors_(mirrors),
      run_(execution),
      gatherer_(mirrors, reads),
      pod_executor_(execution, blocked),
      claim_executor_(execution) {}

runtime::Outcome ItemReconciler::Reconcile(const WorkItem& item, const std::stop_token& stop) {
  // Read your writes: a decision on a mirror that does not show our last write would repeat or undo
  // it.
  if (const auto behind = run_.written.BehindFor(item)) {
    return runtime::RequeueAfter{*behind, "the mirror does not show our last write yet"};
  }
  if (log::V(5)) log::Verbose("reconcile", {{"item", Describe(item)}, {"reason", item.reason}});
  return std::holds_alternative<PodItem>(item.target) ? ReconcilePod(item, stop)
                                                      : ReconcileClaim(item, stop);
}

runtime::Outcome ItemReconciler::ReconcilePod(const WorkItem& item, const std::stop_token& stop) {
  const PodPtr pod = mirrors_.FindPod(item.key());
  if (pod == nullptr) return runtime::Done{};
  const auto view = gatherer_.Gather(pod, stop);
  if (!view.ok()) return OutcomeOf(view.error());
  const PodPlan plan = PlanPod(*view, run_.clock.WallNow());
  return pod_executor_.Execute(item, *view, plan, stop);
}

runtime::Outcome ItemReconciler::ReconcileClaim(const WorkItem& item, const std::stop_token& stop) {
  const ClaimPtr claim = mirrors_.FindClaim(item.key());
  if (claim == nullptr) return runtime::Done{};
  // Deleted by us, and the mirror has not heard of it. Other finalizers may hold it: then its
  // deletionTimestamp arrives, and the look at that is not spared.
  if (!claim->meta.deleting() && run_.deleted_claims.Contains(claim->meta.uid)) {
    return runtime::Done{};
  }
  const ClaimView view = gatherer_.Gather(claim, stop);
  const ClaimPlan plan = PlanClaim(view, run_.clock.WallNow());
  return claim_executor_.Execute(item, view, plan, stop);
}

}  // namespace dra::claims
