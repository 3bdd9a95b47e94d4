// SPDX-License-Identifier: Apache-2.0
//
// ClaimExecutor: carries a ClaimPlan out, in the fixed order status, finalizer, delete, and stops
// at the first write that fails: each later one is only right after the earlier one. Thread-safe.
#pragma once

#include <stop_token>
#include <string>

#include "claims/claim_plan.h"
#include "claims/execution.h"
#include "runtime/outcome.h"

namespace dra::claims {

class ClaimExecutor {
 public:
  explicit ClaimExecutor(const Execution& execution) : run_(execution) {}

  runtime::Outcome Execute(const WorkItem& item, const ClaimView& view, const ClaimPlan& plan,
                           const std::stop_token& stop);

 private:
  // Each takes the claim as it is before the write and returns it as it is after.
  Result<api::ResourceClaim> WriteStatus(const ClaimPlan& plan, const api::ResourceClaim& claim,
                                         const std::stop_token& stop);
  Result<api::ResourceClaim> RemoveFinalizer(const api::ResourceClaim& claim,
                                             const std::stop_token& stop);
  Result<void> Delete(const api::ResourceClaim& claim, const std::stop_token& stop);

  Result<void> Write(const WorkItem& item, const ClaimView& view, const ClaimPlan& plan,
                     const std::stop_token& stop);
  Result<api::ResourceClaim> Patched(metrics::ClaimWrite operation, Result<std::string> answer);
  void TellReleased(const api::ResourceClaim& claim, const ClaimPlan& plan);

  const Execution& run_;
};

}  // namespace dra::claims
