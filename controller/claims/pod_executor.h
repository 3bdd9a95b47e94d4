// SPDX-License-Identifier: Apache-2.0
//
// PodExecutor: carries a PodPlan out: creates claims, records their names in one status write,
// reserves. A failing entry does not hide its siblings (W6): what succeeded is recorded, the worst
// failure is returned. Thread-safe.
#pragma once

#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "claims/blocked_pods.h"
#include "claims/execution.h"
#include "claims/pod_plan.h"
#include "runtime/outcome.h"

namespace dra::claims {

class PodExecutor {
 public:
  PodExecutor(const Execution& execution, BlockedPods& blocked)
      : run_(execution), blocked_(blocked) {}

  runtime::Outcome Execute(const WorkItem& item, const PodView& view, const PodPlan& plan,
                           const std::stop_token& stop);

 private:
  // The name of the entry's claim, or that a claim of ours with that name still has to go, or a
  // failure.
  struct Ending {};
  using Made = std::variant<std::string, Ending, Error>;

  // What became of the entries: names for the status, and the worst outcome.
  struct Progress {
    std::vector<api::PodClaimStatus> resolved;
    runtime::Outcome outcome = runtime::Done{};
  };

  struct Step {
    const EntryView& entry;
    const EntryDecision& decision;
  };
  void ExecuteEntry(const WorkItem& item, const api::Pod& pod, const Step& step, Progress& progress,
                    const std::stop_token& stop);
  Made MakeClaim(const WorkItem& item, const api::Pod& pod, const EntryView& entry,
                 const std::stop_token& stop);
  Made TryName(const WorkItem& item, const api::Pod& pod, const EntryView& entry, int salt,
               const std::stop_token& stop);
  Made Existing(const WorkItem& item, const api::Pod& pod, const EntryView& entry,
                const std::string& name, const std::stop_token& stop);
  runtime::Outcome WriteStatus(const WorkItem& item, const api::Pod& pod, const Progress& progress,
                               const std::stop_token& stop);
  void MeasureWait(const api::Pod& pod) const;
  runtime::Outcome Reserve(const WorkItem& item, const api::Pod& pod, const ClaimPtr& claim,
                           const std::stop_token& stop);
  runtime::Outcome Observe(const WorkItem& item, const PodView& view, const PodPlan& plan) const;

  const Execution& run_;
  BlockedPods& blocked_;
};

}  // namespace dra::claims
