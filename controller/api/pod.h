// SPDX-License-Identifier: Apache-2.0
//
// The fields of a core/v1 Pod that claim decisions read. Immutable once decoded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"

namespace dra::api {

// spec.resourceClaims[]: exactly one of the two names is set in every API we know; neither set
// means an API newer than this program.
struct PodClaimEntry {
  std::string name;
  std::optional<std::string> claim_name;
  std::optional<std::string> template_name;

  bool operator==(const PodClaimEntry&) const = default;
};

// status.resourceClaimStatuses[]: an entry without claim name says "no claim needed for this one".
struct PodClaimStatus {
  std::string name;
  std::optional<std::string> claim_name;

  bool operator==(const PodClaimStatus&) const = default;
};

struct Pod {
  ObjectMeta meta;
  std::string node_name;
  std::string scheduler_name;
  std::string phase;
  std::vector<PodClaimEntry> claims;
  std::vector<PodClaimStatus> claim_statuses;
  // status.extendedResourceClaimStatus.resourceClaimName: the claim that the scheduler made for
  // extended resources; absent when the pod has none.
  std::optional<std::string> extended_claim;
  // spec.schedulingGroup.podGroupName (1.36+).
  std::optional<std::string> pod_group;

  // Succeeded or Failed, nothing else.
  bool Terminal() const { return phase == "Succeeded" || phase == "Failed"; }

  // Never going to use its claims (again): terminal, or deleted before it got a node
  // (upstream 1.37.2 pkg/controller/resourceclaim/controller.go:1810).
  bool Done() const { return Terminal() || (meta.deleting() && node_name.empty()); }

  // False for the pods that this product has no business with; they are not cached.
  bool UsesClaims() const { return !claims.empty() || extended_claim.has_value(); }

  const PodClaimStatus* FindStatus(std::string_view entry) const;
};

}  // namespace dra::api
