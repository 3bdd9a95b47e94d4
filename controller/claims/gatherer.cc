// SPDX-License-Identifier: Apache-2.0
#include "claims/gatherer.h"

#include <algorithm>

#include "api/decoder.h"
#include "base/log.h"

namespace dra::claims {

Result<ClaimPtr> Gatherer::GetClaim(const api::ObjectKey& key, const std::stop_token& stop) const {
  auto json = client_.Get(kube::kResourceClaims, key, stop);
  if (!json.ok()) {
    if (json.error().code() == Code::kNotFound) return ClaimPtr();
    return json.error().Context("look up claim " + key.ToString());
  }
  api::Decoder decoder;
  DRA_TRY(auto claim, decoder.Decode<api::ResourceClaim>(*json));
  return ClaimPtr(std::make_shared<const api::ResourceClaim>(std::move(claim)));
}

Result<EntryView> Gatherer::GatherEntry(const api::Pod& pod, const api::PodClaimEntry& entry,
                                        const std::stop_token& stop) const {
  EntryView view{entry, ResolveEntry(pod, entry), nullptr, {}, nullptr};
  const std::string& ns = pod.meta.ns;
  if (const auto* user = std::get_if<UserClaim>(&view.name)) {
    view.named = mirrors_.FindClaim({ns, user->name});
  } else if (const auto* generated = std::get_if<GeneratedClaim>(&view.name)) {
    view.named = mirrors_.FindClaim({ns, generated->name});
    // The mirror may be behind whoever recorded the name (C03).
    if (view.named == nullptr) {
      DRA_TRY(view.named, GetClaim({ns, generated->name}, stop));
    }
  }
  if (entry.template_name) {
    for (const ClaimPtr& claim : mirrors_.ClaimsOwnedBy(pod.meta.uid)) {
      if (claim->meta.ns == ns && claim->pod_claim_name == entry.name)
        view.made_for.push_back(claim);
    }
    view.claim_template = mirrors_.FindTemplate({ns, *entry.template_name});
  }
  return view;
}

Result<PodView> Gatherer::Gather(const PodPtr& pod, const std::stop_token& stop) const {
  PodView view{pod, {}};
  for (const api::PodClaimEntry& entry : pod->claims) {
    DRA_TRY(auto gathered, GatherEntry(*pod, entry, stop));
    view.entries.push_back(std::move(gathered));
  }
  return view;
}

PodState Gatherer::StateOf(const api::ObjectKey& key, std::string_view uid,
                           const std::stop_token& stop) const {
  if (mirrors_.gone_pods.Contains(uid)) return PodState::kGone;
  const PodPtr mirrored = mirrors_.FindPod(key);
  if (mirrored != nullptr && mirrored->meta.uid == uid) {
    return mirrored->Done() ? PodState::kDone : PodState::kLive;
  }
  // Not mirrored, or another pod of that name is: either may be the older one. The server knows.
  auto json = client_.Get(kube::kPods, key, stop);
  if (!json.ok()) {
    if (json.error().code() == Code::kNotFound) return PodState::kGone;
    if (log::V(2)) {
      log::Verbose("cannot look up the consumer of a claim",
                   {{"pod", key.ToString()}, {"err", json.error()}});
    }
    return PodState::kUnknown;
  }
  api::Decoder decoder;
  const auto pod = decoder.Decode<api::Pod>(*json);
  if (!pod.ok()) return PodState::kUnknown;
  if (pod->meta.uid != uid) return PodState::kGone;
  return pod->Done() ? PodState::kDone : PodState::kLive;
}

ClaimView Gatherer::Gather(const ClaimPtr& claim, const std::stop_token& stop) const {
  ClaimView view;
  view.claim = claim;
  bool held = false;
  for (const api::ConsumerReference& reference : claim->reserved_for) {
    ConsumerView consumer{reference, reference.IsPod(), PodState::kUnknown};
    if (consumer.is_pod)
      consumer.state = StateOf({claim->meta.ns, reference.name}, reference.uid, stop);
    held = held || !consumer.is_pod || consumer.state == PodState::kLive ||
           consumer.state == PodState::kUnknown;
    view.consumers.push_back(std::move(consumer));
  }
  const api::OwnerReference* owner = PodOwner(*claim);
  view.owned_by_pod = owner != nullptr;
  // Saves a lookup: the owner only matters for a claim that nobody holds and that is not ending
  // already.
  if (owner != nullptr && !held && !claim->meta.deleting()) {
    view.owner = StateOf({claim->meta.ns, owner->name}, owner->uid, stop);
  }
  return view;
}

}  // namespace dra::claims
