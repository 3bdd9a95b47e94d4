// SPDX-License-Identifier: Apache-2.0
//
// Mirrors: the informers of the claim controller and the indices by which their objects refer to
// each other. Read by triggers and gatherers from any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/resource_claim_template.h"
#include "cache/informer.h"
#include "cache/tombstones.h"
#include "claims/pod_view.h"
#include "kube/client.h"
#include "metrics/registry.h"
#include "metrics/watch_probe.h"

namespace dra::claims {

class Mirrors {
 public:
  // `versions_went_back`: what was concluded from the past of this resource no longer holds.
  Mirrors(kube::Client& client, Clock& clock, metrics::Registry& registry,
          std::function<void(std::string_view resource)> versions_went_back);

 private:
  // Before the informers, which use them.
  metrics::WatchProbe pods_probe_, claims_probe_, templates_probe_;

 public:
  // UIDs of pods whose end was seen. Not of pods that merely stopped to use claims.
  cache::Tombstones gone_pods;

  cache::Informer<api::Pod> pods;  // only those that use claims
  cache::Informer<api::ResourceClaim> claims;
  cache::Informer<api::ResourceClaimTemplate> templates;

  void Start();
  void Stop();
  bool HasSynced() const { return pods.HasSynced() && claims.HasSynced() && templates.HasSynced(); }
  bool WaitForSync(const std::stop_token& stop);

  PodPtr FindPod(const api::ObjectKey& key) const { return pods.store().Find(key); }
  ClaimPtr FindClaim(const api::ObjectKey& key) const { return claims.store().Find(key); }
  TemplatePtr FindTemplate(const api::ObjectKey& key) const { return templates.store().Find(key); }

  // Pods whose spec or status names this claim; claims for extended resources are left out, as
  // upstream does.
  std::vector<PodPtr> PodsUsingClaim(const api::ObjectKey& claim) const;
  std::vector<PodPtr> PodsUsingTemplate(const api::ObjectKey& claim_template) const;
  // Claims whose controller owner is the pod with this UID, oldest first.
  std::vector<ClaimPtr> ClaimsOwnedBy(const std::string& pod_uid) const;

 private:
  cache::IndexId pods_by_claim_;
  cache::IndexId pods_by_template_;
  cache::IndexId claims_by_owner_;
};

}  // namespace dra::claims
