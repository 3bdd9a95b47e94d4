// SPDX-License-Identifier: Apache-2.0
#include "metrics/claim_probe.h"

#include <array>

#include "base/mutex.h"
#include "metrics/families.h"

namespace dra::metrics {
namespace {

constexpr std::array kOperations{"create",     "pod_status",       "reserve", "release",
                                 "deallocate", "remove_finalizer", "delete"};
constexpr std::array kResults{"ok", "conflict", "forbidden", "invalid", "error"};

// Label values come from owners and caches: few by design, bounded in any case.
constexpr std::size_t kMaxSeries = 64;

const Buckets kLatencyBuckets{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                              2,     4,    8,     15,   30,  60,   120, 300};

const char* Flag(bool value) { return value ? "true" : "false"; }

}  // namespace

struct ClaimProbe::Series {
  // {success, admin access, group, kind}
  using CreateKey = std::tuple<bool, bool, std::string, std::string>;

  // The gauge whose series exist only while they are not zero. Shared with the registry's
  // refresher, which may outlive the probe.
  struct Census {
    explicit Census(prometheus::Family<Gauge>& of) : family(of) {}

    void Refresh() {
      MutexLock lock(mutex);
      const std::map<ClaimCategory, std::size_t> now =
          count ? count() : std::map<ClaimCategory, std::size_t>{};
      std::erase_if(shown, [&](const auto& entry) {
        const auto found = now.find(entry.first);
        if (found != now.end() && found->second > 0) return false;
        family.Remove(entry.second);
        return true;
      });
      for (const auto& [category, claims] : now) {
        if (claims > 0) Show(category, static_cast<double>(claims));
      }
    }

    void Show(const ClaimCategory& category, double claims) REQUIRES(mutex) {
      auto found = shown.find(category);
      if (found == shown.end()) {
        if (shown.size() >= kMaxSeries) return;
        Gauge& gauge = family.Add({{"allocated", Flag(category.allocated)},
                                   {"admin_access", Flag(category.admin_access)},
                                   {"source", category.source}});
        found = shown.emplace(category, &gauge).first;
      }
      found->second->Set(claims);
    }

    prometheus::Family<Gauge>& family;
    // Held while count() runs, so that no call is on its way once SetCensus has returned.
    Mutex mutex;
    std::function<std::map<ClaimCategory, std::size_t>()> count GUARDED_BY(mutex);
    std::map<ClaimCategory, Gauge*> shown GUARDED_BY(mutex);
  };

  explicit Series(Registry& registry)
      : creates_family(CounterFamily(
            registry, "dynamic_resource_allocation_resourceclaim_creates_total",
            "[ALPHA] Number of ResourceClaims creation requests, categorized by creation status, "
            "admin access, and owning API group and kind (either Pod or "
            "scheduling.k8s.io/PodGroup)")),
        census(std::make_shared<Census>(GaugeFamily(
            registry, "dynamic_resource_allocation_resource_claims",
            "[ALPHA] Number of ResourceClaims, categorized by allocation status, admin access, and "
            "source. Source can be 'resource_claim_template' (created from a template), "
            "'extended_resource' (extended resources), or empty (manually created by a user)."))),
        served(HistogramFamily(registry, "dra_pod_claim_latency_seconds",
                               "Time from a pod's creation, by the API server's clock in whole "
                               "seconds, to the write of its complete claim statuses.")
                   .Add({}, kLatencyBuckets)),
        served_since_seen(HistogramFamily(registry, "dra_pod_claim_observed_latency_seconds",
                                          "Time from the first sight of a pod in our watch to the "
                                          "write of its complete claim statuses.")
                              .Add({}, kLatencyBuckets)) {
    auto& family = CounterFamily(registry, "dra_claim_writes_total",
                                 "Number of writes for claims, by operation and result.");
    for (std::size_t i = 0; i < kOperations.size(); ++i) {
      for (std::size_t k = 0; k < kResults.size(); ++k) {
        writes[i][k] = &family.Add({{"operation", kOperations[i]}, {"result", kResults[k]}});
      }
    }
  }

  prometheus::Family<Counter>& creates_family;
  std::shared_ptr<Census> census;
  Histogram& served;
  Histogram& served_since_seen;
  std::array<std::array<Counter*, kResults.size()>, kOperations.size()> writes{};

  Mutex mutex;
  std::map<CreateKey, Counter*> creates GUARDED_BY(mutex);
};

ClaimProbe::ClaimProbe(Registry& registry) : series_(std::make_unique<Series>(registry)) {
  registry.OnSerialize([census = series_->census] { census->Refresh(); });
}

ClaimProbe::~ClaimProbe() { SetCensus(nullptr); }

void ClaimProbe::CreateRequest(bool success, bool admin_access, std::string_view owner_group,
                               std::string_view owner_kind) {
  Series::CreateKey key(success, admin_access, owner_group, owner_kind);
  MutexLock lock(series_->mutex);
  if (series_->creates.size() >= kMaxSeries && !series_->creates.contains(key)) {
    key = {success, admin_access, kOtherValue, kOtherValue};
  }
  Counter*& counter = series_->creates[key];
  if (counter == nullptr) {
    counter = &series_->creates_family.Add({{"status", success ? "success" : "failure"},
                                            {"admin_access", Flag(admin_access)},
                                            {"owner_api_group", std::get<2>(key)},
                                            {"owner_api_kind", std::get<3>(key)}});
  }
  counter->Increment();
}

void ClaimProbe::SetCensus(std::function<std::map<ClaimCategory, std::size_t>()> census) {
  MutexLock lock(series_->census->mutex);
  series_->census->count = std::move(census);
}

void ClaimProbe::PodServed(std::chrono::nanoseconds since_creation) {
  series_->served.Observe(Seconds(since_creation));
}

void ClaimProbe::PodServedSinceSeen(std::chrono::nanoseconds since_seen) {
  series_->served_since_seen.Observe(Seconds(since_seen));
}

void ClaimProbe::Write(ClaimWrite operation, WriteResult result) {
  series_->writes[static_cast<std::size_t>(operation)][static_cast<std::size_t>(result)]
      ->Increment();
}

}  // namespace dra::metrics
