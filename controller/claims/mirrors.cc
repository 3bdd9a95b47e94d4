// SPDX-License-Identifier: Apache-2.0
#include "claims/mirrors.h"

#include <algorithm>

#include "claims/names.h"

namespace dra::claims {
namespace {

std::string IndexKey(std::string_view ns, std::string_view name) {
  return std::string(ns) + "/" + std::string(name);
}

void ClaimsOfPod(const api::Pod& pod, std::vector<std::string>& keys) {
  for (const PodClaimName& claim : PodClaims(pod)) {
    const bool extended = pod.extended_claim && claim.name == *pod.extended_claim;
    if (!extended) keys.push_back(IndexKey(pod.meta.ns, claim.name));
  }
}

void TemplatesOfPod(const api::Pod& pod, std::vector<std::string>& keys) {
  for (const api::PodClaimEntry& entry : pod.claims) {
    if (!entry.template_name) continue;
    std::string key = IndexKey(pod.meta.ns, *entry.template_name);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
  }
}

void OwnerOfClaim(const api::ResourceClaim& claim, std::vector<std::string>& keys) {
  if (const api::OwnerReference* owner = PodOwner(claim)) keys.push_back(owner->uid);
}

bool Older(const ClaimPtr& a, const ClaimPtr& b) {
  if (a->meta.creation_timestamp != b->meta.creation_timestamp) {
    return a->meta.creation_timestamp < b->meta.creation_timestamp;
  }
  return a->meta.name < b->meta.name;
}

}  // namespace

Mirrors::Mirrors(kube::Client& client, Clock& clock, metrics::Registry& registry,
                 std::function<void(std::string_view resource)> versions_went_back)
    : pods_probe_(registry, kube::kPods.plural),
      claims_probe_(registry, kube::kResourceClaims.plural),
      templates_probe_(registry, kube::kResourceClaimTemplates.plural),
      pods(client, clock, pods_probe_,
           {kube::kPods, "", [](const api::Pod& pod) { return pod.UsesClaims(); },
            [this](const api::Pod& pod) { gone_pods.Add(pod.meta.uid); },
            [versions_went_back] { versions_went_back(kube::kPods.plural); }}),
      claims(client, clock, claims_probe_,
             {kube::kResourceClaims, "", nullptr, nullptr,
              [versions_went_back] { versions_went_back(kube::kResourceClaims.plural); }}),
      templates(client, clock, templates_probe_,
                {kube::kResourceClaimTemplates, "", nullptr, nullptr, nullptr}),
      pods_by_claim_(pods.store().AddIndex(ClaimsOfPod)),
      pods_by_template_(pods.store().AddIndex(TemplatesOfPod)),
      claims_by_owner_(claims.store().AddIndex(OwnerOfClaim)) {}

void Mirrors::Start() {
  // Templates first: a pod whose template is not mirrored yet would be reported for it.
  templates.Start();
  claims.Start();
  pods.Start();
}

void Mirrors::Stop() {
  pods.Stop();
  claims.Stop();
  templates.Stop();
}

bool Mirrors::WaitForSync(const std::stop_token& stop) {
  constexpr auto kForever = Clock::Steady::max();
  return templates.WaitForSync(kForever, stop) && claims.WaitForSync(kForever, stop) &&
         pods.WaitForSync(kForever, stop);
}

std::vector<PodPtr> Mirrors::PodsUsingClaim(const api::ObjectKey& claim) const {
  return pods.store().ByIndex(pods_by_claim_, IndexKey(claim.ns, claim.name));
}

std::vector<PodPtr> Mirrors::PodsUsingTemplate(const api::ObjectKey& claim_template) const {
  return pods.store().ByIndex(pods_by_template_, IndexKey(claim_template.ns, claim_template.name));
}

std::vector<ClaimPtr> Mirrors::ClaimsOwnedBy(const std::string& pod_uid) const {
  auto owned = claims.store().ByIndex(claims_by_owner_, pod_uid);
  std::sort(owned.begin(), owned.end(), Older);
  return owned;
}

}  // namespace dra::claims
