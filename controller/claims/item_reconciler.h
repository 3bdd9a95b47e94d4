// SPDX-License-Identifier: Apache-2.0
//
// ItemReconciler: one item of the claim controller, from mirror to writes: Gather, Plan, Execute.
// The order of an event's life from the queue on can be read in this file's .cc. Thread-safe.
#pragma once

#include "cache/tombstones.h"
#include "claims/blocked_pods.h"
#include "claims/claim_executor.h"
#include "claims/gatherer.h"
#include "claims/pod_executor.h"
#include "runtime/reconciler.h"

namespace dra::claims {

class ItemReconciler final : public runtime::Reconciler<WorkItem> {
 public:
  ItemReconciler(const Mirrors& mirrors, const Execution& execution, BlockedPods& blocked,
                 kube::Client& reads);

  runtime::Outcome Reconcile(const WorkItem& item, const std::stop_token& stop) override;

 private:
  runtime::Outcome ReconcilePod(const WorkItem& item, const std::stop_token& stop);
  runtime::Outcome ReconcileClaim(const WorkItem& item, const std::stop_token& stop);

  const Mirrors& mirrors_;
  const Execution& run_;
  const Gatherer gatherer_;
  PodExecutor pod_executor_;
  ClaimExecutor claim_executor_;
};

}  // namespace dra::claims
