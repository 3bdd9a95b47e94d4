// SPDX-License-Identifier: Apache-2.0
//
// workqueue_*{name=...}: client-go's work queue metrics, names, labels and buckets.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

namespace dra::metrics {

class Registry;

// What is running right now; asked for at each scrape.
struct QueueSnapshot {
  std::size_t depth = 0;
  std::chrono::nanoseconds unfinished{0};  // sum of the running times of the items in work
  std::chrono::nanoseconds longest{0};     // the longest of them
};

class QueueProbe {
 public:
  QueueProbe(Registry& registry, std::string_view name);
  ~QueueProbe();

  void Added();
  void Started(std::chrono::nanoseconds waited);
  void Finished(std::chrono::nanoseconds worked);
  void Retried();

  // Called at each scrape; replaces the one before; null detaches (the queue is going away).
  void SetSnapshot(std::function<QueueSnapshot()> snapshot);

 private:
  struct Series;
  std::shared_ptr<Series> series_;
};

}  // namespace dra::metrics
