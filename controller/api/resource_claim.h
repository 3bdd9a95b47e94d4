// SPDX-License-Identifier: Apache-2.0
//
// The fields of a resource.k8s.io/v1 ResourceClaim that decisions read. Immutable once decoded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"

namespace dra::api {

// Set by the scheduler before it allocates; whoever deallocates removes it afterwards.
inline constexpr std::string_view kClaimFinalizer = "resource.kubernetes.io/delete-protection";
// On a generated claim: the name of the pod's entry that it was made for.
inline constexpr std::string_view kPodClaimNameAnnotation = "resource.kubernetes.io/pod-claim-name";
// "true" on a claim that the scheduler made for extended resources.
inline constexpr std::string_view kExtendedResourceAnnotation =
    "resource.kubernetes.io/extended-resource-claim";
// The API server refuses a longer status.reservedFor.
inline constexpr std::size_t kMaxReservedFor = 256;

// status.reservedFor[].
struct ConsumerReference {
  std::string api_group;
  std::string resource;
  std::string name;
  std::string uid;

  bool IsPod() const { return api_group.empty() && resource == "pods"; }
  bool operator==(const ConsumerReference&) const = default;
};

struct ResourceClaim {
  ObjectMeta meta;
  std::optional<std::string> pod_claim_name;  // kPodClaimNameAnnotation
  bool extended = false;                      // kExtendedResourceAnnotation == "true"
  bool admin_access = false;                  // some spec request asks for admin access
  bool allocated = false;                     // status.allocation is set
  std::vector<ConsumerReference> reserved_for;

  bool ReservedFor(std::string_view uid) const;
};

}  // namespace dra::api
