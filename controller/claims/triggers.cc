// SPDX-License-Identifier: Apache-2.0
#include "claims/triggers.h"

#include "claims/pod_plan.h"

namespace dra::claims {

void Triggers::EvaluatePod(const api::Pod& pod, std::string_view reason,
                           std::vector<WorkItem>& items) const {
  const ClaimFinder find = [&](const std::string& name) {
    return mirrors_.FindClaim({pod.meta.ns, name});
  };
  if (PodNeedsWork(pod, find)) items.push_back(ForPod(pod.meta.key(), reason));
}

void Triggers::ReleaseClaimsOf(const api::Pod& pod, std::string_view reason,
                               std::vector<WorkItem>& items) const {
  for (const PodClaimName& claim : PodClaims(pod)) {
    items.push_back(ForClaim({pod.meta.ns, claim.name}, reason));
  }
  // A claim may exist without the pod's status naming it: the pod ended between the two writes.
  for (const ClaimPtr& claim : mirrors_.ClaimsOwnedBy(pod.meta.uid)) {
    items.push_back(ForClaim(claim->meta.key(), reason));
  }
}

std::vector<WorkItem> Triggers::OnPod(const PodPtr& old, const PodPtr& now) const {
  std::vector<WorkItem> items;
  if (now == nullptr) {
    ReleaseClaimsOf(*old, "pod is gone", items);
    return items;
  }
  // Terminal pods get updates too; what they held is released when they become done, and every
  // later claim event looks again.
  const bool was_done =
      old != nullptr && old->Done() && PodClaims(*old).size() == PodClaims(*now).size();
  if (now->Done() && !was_done) ReleaseClaimsOf(*now, "pod is done", items);
  EvaluatePod(*now, "pod changed", items);
  return items;
}

std::vector<WorkItem> Triggers::OnClaim(const ClaimPtr& old, const ClaimPtr& now) const {
  std::vector<WorkItem> items;
  const api::ResourceClaim& claim = now != nullptr ? *now : *old;
  if (now != nullptr) items.push_back(ForClaim(claim.meta.key(), "claim changed"));
  const std::string_view reason = now != nullptr ? "claim of pod changed" : "claim of pod is gone";
  for (const PodPtr& pod : mirrors_.PodsUsingClaim(claim.meta.key()))
    EvaluatePod(*pod, reason, items);
  // The owner's status may not name the claim (yet): a twin in the making, or a name that was
  // taken.
  if (const api::OwnerReference* owner = PodOwner(claim)) {
    const PodPtr pod = mirrors_.FindPod({claim.meta.ns, owner->name});
    if (pod != nullptr && pod->meta.uid == owner->uid) EvaluatePod(*pod, reason, items);
  }
  return items;
}

std::vector<WorkItem> Triggers::OnTemplate(const TemplatePtr& old, const TemplatePtr& now) const {
  std::vector<WorkItem> items;
  if (now == nullptr) return items;  // claims are copies: they do not miss their template
  const std::string_view reason = old == nullptr ? "template created" : "template changed";
  for (const PodPtr& pod : mirrors_.PodsUsingTemplate(now->meta.key()))
    EvaluatePod(*pod, reason, items);
  return items;
}

}  // namespace dra::claims
