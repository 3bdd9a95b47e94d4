// SPDX-License-Identifier: Apache-2.0
//
// Which claim an entry of a pod means, to whom a claim belongs, and how generated claims are named.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"

namespace dra::claims {

// What spec.resourceClaims[] and status.resourceClaimStatuses[] together say of one entry
// (k8s.io/dynamic-resource-allocation/resourceclaim, Name).
struct UserClaim {
  std::string name;  // made by a user; never created, owned or deleted by us
};
struct GeneratedClaim {
  std::string name;  // recorded in the status; counts only if the pod owns it
};
struct NotGenerated {};  // from a template, no status entry yet
struct NotNeeded {};     // a status entry without name: skip the entry everywhere
struct Unsupported {};   // neither a claim nor a template name: an API newer than this program
using EntryName = std::variant<UserClaim, GeneratedClaim, NotGenerated, NotNeeded, Unsupported>;

EntryName ResolveEntry(const api::Pod& pod, const api::PodClaimEntry& entry);

// A claim that a pod is known to use.
struct PodClaimName {
  std::string name;
  bool owned;  // counts only if the pod owns it
};

// All of them in spec order, then the claim for extended resources. Entries that have no name yet
// are left out.
std::vector<PodClaimName> PodClaims(const api::Pod& pod);

// The pod is the claim's controller owner, by UID.
bool IsOwnedBy(const api::ResourceClaim& claim, const api::Pod& pod);

// The controller owner if that is a Pod of the core API, else null.
const api::OwnerReference* PodOwner(const api::ResourceClaim& claim);

// metadata.generateName of a generated claim: "<pod>-<entry>-", or both parts cut in proportion to
// 57 bytes (upstream 1.37.2 controller.go:1088). Unlike upstream the pod's part never gets empty
// and never ends in a character that no name may have before "-" (W5).
std::string GenerateName(std::string_view pod, std::string_view entry);

// How many names are tried when other owners hold the ones before.
inline constexpr int kNameSalts = 8;

// The name itself: the API server's shape (base cut to 58 bytes, five characters of its alphabet),
// with the five characters derived from the owner's UID, the entry and `salt` instead of chance.
// Equal inputs always give the same name, so a second create of one claim collides with the first
// instead of making a twin.
std::string GeneratedClaimName(const api::Pod& pod, std::string_view entry, int salt);

}  // namespace dra::claims
