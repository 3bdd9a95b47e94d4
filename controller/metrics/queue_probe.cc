// SPDX-License-Identifier: Apache-2.0
#include "metrics/queue_probe.h"

#include "base/mutex.h"
#include "metrics/families.h"

namespace dra::metrics {
namespace {

// client-go's ExponentialBuckets(10e-9, 10, 10), multiplied up in the same order: the rounding
// errors are part of the peer's "le" labels (9.999999999999999e-06).
Buckets DurationBuckets() {
  Buckets buckets;
  double bound = 10e-9;
  for (int i = 0; i < 10; ++i) {
    buckets.push_back(bound);
    bound *= 10;
  }
  return buckets;
}

}  // namespace

struct QueueProbe::Series {
  Series(Registry& registry, const prometheus::Labels& name)
      : depth(GaugeFamily(registry, "workqueue_depth", "[BETA] Current depth of workqueue")
                  .Add(name)),
        unfinished(GaugeFamily(registry, "workqueue_unfinished_work_seconds",
                               "[BETA] How many seconds of work has done that is in progress and "
                               "hasn't been observed by work_duration. Large values indicate stuck "
                               "threads. One can deduce the number of stuck threads by observing "
                               "the rate at which this increases.")
                       .Add(name)),
        longest(GaugeFamily(registry, "workqueue_longest_running_processor_seconds",
                            "[BETA] How many seconds has the longest running processor for "
                            "workqueue been running.")
                    .Add(name)),
        adds(CounterFamily(registry, "workqueue_adds_total",
                           "[BETA] Total number of adds handled by workqueue")
                 .Add(name)),
        retries(CounterFamily(registry, "workqueue_retries_total",
                              "[BETA] Total number of retries handled by workqueue")
                    .Add(name)),
        waited(HistogramFamily(registry, "workqueue_queue_duration_seconds",
                               "[BETA] How long in seconds an item stays in workqueue before being "
                               "requested.")
                   .Add(name, DurationBuckets())),
        worked(HistogramFamily(registry, "workqueue_work_duration_seconds",
                               "[BETA] How long in seconds processing an item from workqueue "
                               "takes.")
                   .Add(name, DurationBuckets())) {}

  void Refresh() {
    MutexLock lock(mutex);
    const QueueSnapshot now = snapshot ? snapshot() : QueueSnapshot{};
    depth.Set(static_cast<double>(now.depth));
    unfinished.Set(Seconds(now.unfinished));
    longest.Set(Seconds(now.longest));
  }

  Gauge& depth;
  Gauge& unfinished;
  Gauge& longest;
  Counter& adds;
  Counter& retries;
  Histogram& waited;
  Histogram& worked;

  // Held while the snapshot runs, so that no call is on its way once SetSnapshot has returned. The
  // queue's own lock comes after it.
  Mutex mutex;
  std::function<QueueSnapshot()> snapshot GUARDED_BY(mutex);
};

QueueProbe::QueueProbe(Registry& registry, std::string_view name)
    : series_(std::make_shared<Series>(registry, prometheus::Labels{{"name", std::string(name)}})) {
  registry.OnSerialize([series = series_] { series->Refresh(); });
}

QueueProbe::~QueueProbe() { SetSnapshot(nullptr); }

void QueueProbe::Added() { series_->adds.Increment(); }

void QueueProbe::Started(std::chrono::nanoseconds waited) {
  series_->waited.Observe(Seconds(waited));
}

void QueueProbe::Finished(std::chrono::nanoseconds worked) {
  series_->worked.Observe(Seconds(worked));
}

void QueueProbe::Retried() { series_->retries.Increment(); }

void QueueProbe::SetSnapshot(std::function<QueueSnapshot()> snapshot) {
  MutexLock lock(series_->mutex);
  series_->snapshot = std::move(snapshot);
}

}  // namespace dra::metrics
