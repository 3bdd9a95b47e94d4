// SPDX-License-Identifier: Apache-2.0
//
// Gatherer: builds the views. Reads the mirrors, and asks the server only where the mirror's "not
// there" is not proof: a claim that a pod's status names, and pods that a claim names.
//
// Thread-safe; blocks on I/O without holding any lock.
#pragma once

#include <stop_token>

#include "base/result.h"
#include "claims/claim_view.h"
#include "claims/mirrors.h"
#include "claims/pod_view.h"
#include "kube/client.h"

namespace dra::claims {

class Gatherer {
 public:
  Gatherer(const Mirrors& mirrors, kube::Client& client) : mirrors_(mirrors), client_(client) {}

  // An error if the server could not be asked about a claim: without an answer nothing may be
  // created.
  Result<PodView> Gather(const PodPtr& pod, const std::stop_token& stop) const;

  // Pods that could not be asked about stay kUnknown.
  ClaimView Gather(const ClaimPtr& claim, const std::stop_token& stop) const;

 private:
  Result<EntryView> GatherEntry(const api::Pod& pod, const api::PodClaimEntry& entry,
                                const std::stop_token& stop) const;
  Result<ClaimPtr> GetClaim(const api::ObjectKey& key, const std::stop_token& stop) const;
  PodState StateOf(const api::ObjectKey& pod, std::string_view uid,
                   const std::stop_token& stop) const;

  const Mirrors& mirrors_;
  kube::Client& client_;
};

}  // namespace dra::claims
