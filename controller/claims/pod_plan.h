// SPDX-License-Identifier: Apache-2.0
//
// PlanPod: all policy for the claims of a pod. Pure: a view and the time in, a plan out.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "claims/pod_view.h"
#include "claims/problem.h"

namespace dra::claims {

struct Keep {};  // the status says what it should
struct Record {  // the claim exists; put its name into the status
  std::string claim_name;
};
struct Create {};    // make the claim from the view's template, then record its name
struct WaitForEnd {  // the claim made for this entry is being deleted; its delete event wakes us
  std::string claim_name;
};
struct Blocked {  // cannot go on until something that we do not control changes
  Problem problem;
};
using EntryDecision = std::variant<Keep, Record, Create, WaitForEnd, Blocked>;

struct PodPlan {
  // One per entry of the view, in its order. Empty: nothing to generate for this pod.
  std::vector<EntryDecision> entries;
  // Allocated claims that the pod, which has a node already, has to be added to.
  std::vector<ClaimPtr> reserve;
  // To be told, without effect on the work.
  std::vector<Problem> problems;
  // When to look again although nothing may happen until then: a problem is reported only once it
  // has lasted.
  std::optional<Clock::Duration> look_again;
};

// A pod that was just created may refer to a claim that is created a moment later, and mirrors lag:
// what is normal for a moment is a problem after this time.
inline constexpr std::chrono::seconds kPatience{10};

PodPlan PlanPod(const PodView& view, Clock::Wall now);

// The complete list for status.resourceClaimStatuses: what is there, overlaid with `names` (entry,
// claim), without entries that have no claim name: a "not needed" entry belongs to who wrote it.
// Sorted by entry.
std::vector<api::PodClaimStatus> MergeStatuses(const api::Pod& pod,
                                               const std::vector<api::PodClaimStatus>& resolved);

// Looks a claim of the pod's namespace up in the mirror.
using ClaimFinder = std::function<ClaimPtr(const std::string& name)>;

// Whether an event about the pod is worth an item: some entry needs a claim, a name, a reservation
// or a report. False for every terminal pod (W1, W2).
bool PodNeedsWork(const api::Pod& pod, const ClaimFinder& find);

}  // namespace dra::claims
