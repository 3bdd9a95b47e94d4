// SPDX-License-Identifier: Apache-2.0
#include "metrics/watch_probe.h"

#include <array>

#include "base/mutex.h"
#include "metrics/families.h"

namespace dra::metrics {
namespace {

constexpr std::array kReasons{"regular", "expired", "timeout", "error", "too_large", "malformed"};

}  // namespace

struct WatchProbe::Series {
  Series(Registry& registry, const prometheus::Labels& resource)
      : labels(resource),
        lists(CounterFamily(registry, "dra_watch_lists_total",
                            "Number of times a resource was listed instead of watched on.")
                  .Add(resource)),
        last_event_family(
            GaugeFamily(registry, "dra_watch_last_event_timestamp_seconds",
                        "Unix time of the last sign of life of a watch: an event or a bookmark.")),
        objects(GaugeFamily(registry, "dra_cache_objects",
                            "Number of objects of a resource that are held in memory.")
                    .Add(resource)),
        synced(GaugeFamily(registry, "dra_cache_synced",
                           "1 when the mirror of a resource has been filled, else 0.")
                   .Add(resource)) {
    auto& family = CounterFamily(registry, "dra_watch_restarts_total",
                                 "Number of watches that ended and were started again, by reason.");
    for (std::size_t i = 0; i < kReasons.size(); ++i) {
      prometheus::Labels with_reason = resource;
      with_reason.emplace("reason", kReasons[i]);
      restarts[i] = &family.Add(with_reason);
    }
  }

  const prometheus::Labels labels;
  std::array<Counter*, kReasons.size()> restarts{};
  Counter& lists;
  prometheus::Family<Gauge>& last_event_family;
  Gauge& objects;
  Gauge& synced;

  Mutex mutex;
  // Created by the first event: a zero would read as "silent since 1970" and fire the alert.
  Gauge* last_event GUARDED_BY(mutex) = nullptr;
};

WatchProbe::WatchProbe(Registry& registry, std::string_view resource)
    : series_(std::make_unique<Series>(registry,
                                       prometheus::Labels{{"resource", std::string(resource)}})) {}

WatchProbe::~WatchProbe() = default;

void WatchProbe::Restarted(WatchEnd why) {
  series_->restarts[static_cast<std::size_t>(why)]->Increment();
}

void WatchProbe::Listed() { series_->lists.Increment(); }

void WatchProbe::Event(std::chrono::system_clock::time_point when) {
  MutexLock lock(series_->mutex);
  if (series_->last_event == nullptr) {
    series_->last_event = &series_->last_event_family.Add(series_->labels);
  }
  series_->last_event->Set(std::chrono::duration<double>(when.time_since_epoch()).count());
}

void WatchProbe::Objects(std::size_t count) { series_->objects.Set(static_cast<double>(count)); }

void WatchProbe::Synced(bool synced) { series_->synced.Set(synced ? 1 : 0); }

}  // namespace dra::metrics
