// SPDX-License-Identifier: Apache-2.0
#include "claims/blocked_pods.h"

namespace dra::claims {

void BlockedPods::Add(const api::ObjectKey& pod) {
  MutexLock lock(mutex_);
  names_[pod.ns].insert(pod.name);
}

void BlockedPods::Remove(const api::ObjectKey& pod) {
  MutexLock lock(mutex_);
  const auto found = names_.find(pod.ns);
  if (found == names_.end()) return;
  found->second.erase(pod.name);
  if (found->second.empty()) names_.erase(found);
}

std::vector<api::ObjectKey> BlockedPods::Take(const std::string& ns, std::size_t count) {
  MutexLock lock(mutex_);
  std::vector<api::ObjectKey> taken;
  const auto found = names_.find(ns);
  if (found == names_.end()) return taken;
  auto& names = found->second;
  while (!names.empty() && taken.size() < count) {
    taken.push_back({ns, *names.begin()});
    names.erase(names.begin());
  }
  if (names.empty()) names_.erase(found);
  return taken;
}

}  // namespace dra::claims
