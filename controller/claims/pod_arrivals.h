// SPDX-License-Identifier: Apache-2.0
//
// PodArrivals: when our watch first showed each pod that waits for claims, to measure how long it
// waited for us alone: no clock of another machine, no whole seconds. Thread-safe, bounded.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"

namespace dra::claims {

class PodArrivals {
 public:
  // The first call for a UID counts.
  void Seen(const std::string& uid, Clock::Steady now);

  // How long ago that was; forgets the pod, so each pod is measured once.
  std::optional<Clock::Duration> Served(const std::string& uid, Clock::Steady now);

  void Forget(const std::string& uid);

 private:
  // About 130 bytes each. Pods beyond are served as well, just not measured.
  static constexpr std::size_t kMaxWaiting = 50'000;

  Mutex mutex_;
  std::unordered_map<std::string, Clock::Steady> seen_ GUARDED_BY(mutex_);
};

}  // namespace dra::claims
