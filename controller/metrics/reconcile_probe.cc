// SPDX-License-Identifier: Apache-2.0
#include "metrics/reconcile_probe.h"

#include <array>

#include "metrics/families.h"

namespace dra::metrics {
namespace {

constexpr std::array kResults{"done", "requeue", "conflict", "retry", "give_up"};

const Buckets kSecondsBuckets{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                              0.5,   1,      2.5,   5,    10,    30,   60};

}  // namespace

struct ReconcileProbe::Series {
  Series(Registry& registry, const std::string& controller)
      : duration(HistogramFamily(registry, "dra_reconcile_duration_seconds",
                                 "How long one reconciliation took, in seconds.")
                     .Add({{"controller", controller}}, kSecondsBuckets)) {
    auto& family = CounterFamily(registry, "dra_reconcile_total",
                                 "Number of reconciliations, by what they came to.");
    for (std::size_t i = 0; i < kResults.size(); ++i) {
      total[i] = &family.Add({{"controller", controller}, {"result", kResults[i]}});
    }
  }

  std::array<Counter*, kResults.size()> total{};
  Histogram& duration;
};

ReconcileProbe::ReconcileProbe(Registry& registry, std::string_view controller)
    : series_(std::make_unique<Series>(registry, std::string(controller))) {}

ReconcileProbe::~ReconcileProbe() = default;

void ReconcileProbe::Reconciled(ReconcileResult result, std::chrono::nanoseconds duration) {
  series_->total[static_cast<std::size_t>(result)]->Increment();
  series_->duration.Observe(Seconds(duration));
}

}  // namespace dra::metrics
