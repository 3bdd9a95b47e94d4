// SPDX-License-Identifier: Apache-2.0
#include "metrics/event_probe.h"

#include <array>

#include "metrics/families.h"

namespace dra::metrics {
namespace {

constexpr std::array kResults{"created", "counted", "filtered", "dropped"};
constexpr std::array kReasons{"queue_full", "write_failed", "stopped"};

}  // namespace

struct EventProbe::Series {
  explicit Series(Registry& registry) {
    auto& by_result = CounterFamily(registry, "dra_events_total",
                                    "Number of Kubernetes Events, by what became of them.");
    for (std::size_t i = 0; i < kResults.size(); ++i) {
      total[i] = &by_result.Add({{"result", kResults[i]}});
    }
    auto& by_reason = CounterFamily(registry, "dra_events_dropped_total",
                                    "Number of Kubernetes Events that were lost, by reason.");
    for (std::size_t i = 0; i < kReasons.size(); ++i) {
      dropped[i] = &by_reason.Add({{"reason", kReasons[i]}});
    }
  }

  std::array<Counter*, kResults.size()> total{};
  std::array<Counter*, kReasons.size()> dropped{};
};

EventProbe::EventProbe(Registry& registry) : series_(std::make_unique<Series>(registry)) {}

EventProbe::~EventProbe() = default;

void EventProbe::Emitted(EventResult result) {
  series_->total[static_cast<std::size_t>(result)]->Increment();
}

void EventProbe::Lost(EventLoss why) {
  series_->dropped[static_cast<std::size_t>(why)]->Increment();
  Emitted(EventResult::kDropped);
}

}  // namespace dra::metrics
