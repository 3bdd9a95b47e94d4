// SPDX-License-Identifier: Apache-2.0
//
// Short forms of prometheus-cpp's builders for the probes of this folder; nobody else includes it.
// Probes look a series up once and keep the reference: Family::Add builds and hashes a label map,
// which has no place on a path that runs for each request or item.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "metrics/registry.h"

namespace dra::metrics {

using Counter = prometheus::Counter;
using Gauge = prometheus::Gauge;
using Histogram = prometheus::Histogram;
using Buckets = prometheus::Histogram::BucketBoundaries;

// The value of a label that would be one too many: series stay bounded whatever a server answers.
inline constexpr const char* kOtherValue = "__other__";

// A name that exists already gives the family that exists: several probes of one kind share it.
inline prometheus::Family<Counter>& CounterFamily(Registry& registry, const std::string& name,
                                                  const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry.native());
}

inline prometheus::Family<Gauge>& GaugeFamily(Registry& registry, const std::string& name,
                                              const std::string& help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry.native());
}

inline prometheus::Family<Histogram>& HistogramFamily(Registry& registry, const std::string& name,
                                                      const std::string& help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry.native());
}

// Never negative: a sum that can fall would break rate(), and clocks of two machines may disagree.
inline double Seconds(std::chrono::nanoseconds time) {
  return std::max(0.0, std::chrono::duration<double>(time).count());
}

}  // namespace dra::metrics
