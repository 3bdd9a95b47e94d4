// SPDX-License-Identifier: Apache-2.0
//
// Decoded objects for tests of plans, with names as the documents use them: pod ns/p (uid-1), entry
// "gpu".
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/resource_claim_template.h"

namespace dra::test {

inline api::Pod MakePod(std::string name = "p", std::string uid = "uid-1") {
  api::Pod pod;
  pod.meta.ns = "ns";
  pod.meta.name = std::move(name);
  pod.meta.uid = std::move(uid);
  pod.meta.resource_version = api::ResourceVersion("10");
  pod.meta.creation_timestamp = "2026-11-30T00:00:00Z";  // a day before FakeClock's time
  pod.phase = "Pending";
  return pod;
}

inline api::PodClaimEntry FromTemplate(std::string entry, std::string claim_template = "one-gpu") {
  return {std::move(entry), std::nullopt, std::move(claim_template)};
}
inline api::PodClaimEntry FromClaim(std::string entry, std::string claim) {
  return {std::move(entry), std::move(claim), std::nullopt};
}

inline api::ResourceClaim MakeClaim(std::string name, std::string uid = "claim-uid") {
  api::ResourceClaim claim;
  claim.meta.ns = "ns";
  claim.meta.name = std::move(name);
  claim.meta.uid = std::move(uid);
  claim.meta.resource_version = api::ResourceVersion("20");
  claim.meta.creation_timestamp = "2026-11-30T00:00:00Z";
  return claim;
}

// Generated for `entry` of `pod`.
inline api::ResourceClaim ClaimFor(const api::Pod& pod, const std::string& entry,
                                   std::string name) {
  api::ResourceClaim claim = MakeClaim(std::move(name));
  claim.meta.owners = {{"v1", "Pod", pod.meta.name, pod.meta.uid, true}};
  claim.pod_claim_name = entry;
  return claim;
}

inline api::ConsumerReference Consumer(const std::string& pod, const std::string& uid) {
  return {"", "pods", pod, uid};
}

template <class T>
std::shared_ptr<const T> Share(T object) {
  return std::make_shared<const T>(std::move(object));
}

}  // namespace dra::test
