// SPDX-License-Identifier: Apache-2.0
//
// PodView: everything that a decision about one pod's claims is made from, read once. It holds
// facts and no decisions; what is not known is said to be not known.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/resource_claim_template.h"
#include "claims/names.h"

namespace dra::claims {

using PodPtr = std::shared_ptr<const api::Pod>;
using ClaimPtr = std::shared_ptr<const api::ResourceClaim>;
using TemplatePtr = std::shared_ptr<const api::ResourceClaimTemplate>;

struct EntryView {
  api::PodClaimEntry entry;
  EntryName name;
  // The claim that `name` says, from the mirror or, if the mirror does not have it, from the
  // server. Null: the server does not have it either (or, for a user's claim, the mirror does not).
  ClaimPtr named;
  // Template entries: claims made for this entry of this pod (controller owner by UID, and
  // annotation), oldest first. At most one is expected.
  std::vector<ClaimPtr> made_for;
  TemplatePtr claim_template;  // null: missing
};

struct PodView {
  PodPtr pod;
  std::vector<EntryView> entries;
};

}  // namespace dra::claims
