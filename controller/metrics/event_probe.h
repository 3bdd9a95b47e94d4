// SPDX-License-Identifier: Apache-2.0
//
// dra_events_*: what became of the Events that controllers wanted to emit.
#pragma once

#include <memory>

namespace dra::metrics {

class Registry;

// kCreated and kCounted reached the API server; kFiltered were too many about one object; the rest
// was lost.
enum class EventResult { kCreated, kCounted, kFiltered, kDropped };

// Why an event was lost: the queue was full, the server did not take it, or the process stopped.
enum class EventLoss { kQueueFull, kWriteFailed, kStopped };

class EventProbe {
 public:
  explicit EventProbe(Registry& registry);
  ~EventProbe();

  void Emitted(EventResult result);  // dra_events_total{result}
  void Lost(EventLoss why);          // dra_events_dropped_total{reason}, and result="dropped"

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace dra::metrics
