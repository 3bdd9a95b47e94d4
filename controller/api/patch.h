// SPDX-License-Identifier: Apache-2.0
//
// The body of every write that the product makes, one function each; nothing else builds request
// bodies. Each names fields that it changes and the precondition under which it may, and nothing
// that it does not know. Any bytes may stand in the strings: what is not UTF-8 is sent as U+FFFD.
//
// Preconditions are in the body: another metadata.uid is refused as kConflict (see status.h), an
// older metadata.resourceVersion likewise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/event.h"
#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/resource_claim_template.h"

namespace dra::api {

// A claim to be made from a template. References must outlive the call that takes it.
struct GeneratedClaim {
  const ResourceClaimTemplate& from;
  const Pod& owner;
  std::string entry;          // of the pod's spec.resourceClaims
  std::string name;           // the whole name, chosen by us
  std::string generate_name;  // recorded only, so that the claim looks like upstream's
};

// POST of a claim. Labels and annotations are the template's, with the entry's annotation added or
// replaced; spec is the template's text as it is, so that numbers, order and fields that we do not
// know arrive unchanged.
std::string GeneratedClaimBody(const GeneratedClaim& claim);

// Server-side apply of pods/status: the complete list for our field manager. Entries without claim
// name are left out (they are other writers'), the rest is sorted by name; of one name the last.
// A pod that was replaced is refused by its UID.
std::string PodClaimStatusesApply(const Pod& pod, const std::vector<PodClaimStatus>& statuses);

// Strategic merge of resourceclaims/status: one more consumer. Depends on the version, because
// whether it may be added does.
std::string ReserveConsumer(const ResourceClaim& claim, const ConsumerReference& consumer);

// Strategic merge of resourceclaims/status: removes these consumers and no other, whatever the
// list is by then. Depends on the UID only, so it does not fight the scheduler, who appends.
std::string ReleaseConsumers(const ResourceClaim& claim,
                             const std::vector<ConsumerReference>& drop);

// Merge patch of resourceclaims/status: no consumers, and no allocation if `deallocate`. Refused if
// anything has changed since `claim`.
std::string ReleaseAll(const ResourceClaim& claim, bool deallocate);

// Merge patch of any object: replaces the list of finalizers by `remaining`, which only the
// resourceVersion makes safe.
std::string RemoveFinalizer(std::string_view uid, std::string_view resource_version,
                            const std::vector<std::string>& remaining);

// Body of a DELETE. An empty argument is no precondition.
std::string DeleteOptionsBody(std::string_view uid, std::string_view resource_version);

// POST of an event.
std::string EventBody(const EventData& event);

// Merge patch of an event that happened again.
std::string EventCountPatch(int count, Clock::Wall last);

}  // namespace dra::api
