// SPDX-License-Identifier: Apache-2.0
//
// PlanClaim: all policy for the reservations, the allocation and the end of a claim. Pure: a view
// and the time in, a plan out. The actions are carried out in the order of the fields: status,
// finalizer, delete.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "claims/claim_view.h"
#include "claims/problem.h"

namespace dra::claims {

struct ClaimPlan {
  // Consumers to remove from status.reservedFor.
  std::vector<api::ConsumerReference> release;
  // `release` is all of them: the write must fail if anybody joined meanwhile.
  bool release_all = false;
  // Clear status.allocation in the same write. Never set while a consumer is left or unknown.
  bool deallocate = false;
  // Remove the protection finalizer, if the claim is then without allocation.
  bool remove_finalizer = false;
  bool remove = false;  // delete the claim: its pod is done or gone

  std::vector<Problem> problems;
  // Something could not be found out: the rest was planned without it, and the claim must be looked
  // at again.
  bool incomplete = false;
  std::optional<Clock::Duration> look_again;

  bool Writes() const { return !release.empty() || deallocate || remove_finalizer || remove; }
};

// Deleting claims that wait for a foreign finalizer are reported when they have waited this long.
inline constexpr std::chrono::seconds kFinalizerPatience{30};

ClaimPlan PlanClaim(const ClaimView& view, Clock::Wall now);

}  // namespace dra::claims
