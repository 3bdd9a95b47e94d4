// SPDX-License-Identifier: Apache-2.0
#include "claims/pod_arrivals.h"

namespace dra::claims {

void PodArrivals::Seen(const std::string& uid, Clock::Steady now) {
  MutexLock lock(mutex_);
  if (seen_.size() < kMaxWaiting) seen_.try_emplace(uid, now);
}

std::optional<Clock::Duration> PodArrivals::Served(const std::string& uid, Clock::Steady now) {
  MutexLock lock(mutex_);
  const auto found = seen_.find(uid);
  if (found == seen_.end()) return std::nullopt;
  const Clock::Duration waited = now - found->second;
  seen_.erase(found);
  return waited;
}

void PodArrivals::Forget(const std::string& uid) {
  MutexLock lock(mutex_);
  seen_.erase(uid);
}

}  // namespace dra::claims
