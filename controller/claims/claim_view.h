// SPDX-License-Identifier: Apache-2.0
//
// ClaimView: everything that a decision about one claim's consumers, allocation and end is made
// from, read once. It holds facts and no decisions.
#pragma once

#include <vector>

#include "api/resource_claim.h"
#include "claims/pod_view.h"

namespace dra::claims {

// What is known of a pod that a claim names by UID. Absent from the mirror is kUnknown: only the
// server's word, or a delete event seen for that very UID, makes it kGone.
enum class PodState {
  kUnknown,
  kLive,  // may be using the claim
  kDone,  // exists and will not use the claim (again): Pod::Done()
  kGone,  // no pod with this UID exists
};

struct ConsumerView {
  api::ConsumerReference reference;
  bool is_pod = true;  // false: a kind that we know nothing of; kept whatever happens (C09)
  PodState state = PodState::kUnknown;
};

struct ClaimView {
  ClaimPtr claim;
  std::vector<ConsumerView> consumers;  // one per status.reservedFor entry, in its order
  // The controller owner if that is a pod. It is looked at only when no consumer holds the claim.
  bool owned_by_pod = false;
  PodState owner = PodState::kUnknown;
};

}  // namespace dra::claims
