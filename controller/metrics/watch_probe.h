// SPDX-License-Identifier: Apache-2.0
//
// dra_watch_*, dra_cache_*: health of one mirrored resource.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

namespace dra::metrics {

class Registry;

enum class WatchEnd { kRegular, kExpired, kTimeout, kError, kTooLarge, kMalformed };

class WatchProbe {
 public:
  WatchProbe(Registry& registry, std::string_view resource);
  ~WatchProbe();

  void Restarted(WatchEnd why);  // dra_watch_restarts_total{resource,reason}
  void Listed();                 // dra_watch_lists_total{resource}
  void Event(std::chrono::system_clock::time_point
                 when);             // dra_watch_last_event_timestamp_seconds{resource}
  void Objects(std::size_t count);  // dra_cache_objects{resource}
  void Synced(bool synced);         // dra_cache_synced{resource}

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace dra::metrics
