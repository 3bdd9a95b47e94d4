// SPDX-License-Identifier: Apache-2.0
#include "base/backoff.h"

#include <algorithm>
#include <cmath>

namespace dra {

std::chrono::nanoseconds BackoffDelay(const Backoff::Options& options, int failures) {
  const double cap = static_cast<double>(options.cap.count());
  // pow() may reach infinity for many failures; min() with the cap keeps that harmless.
  const double delay = static_cast<double>(options.first.count()) *
                       std::pow(options.factor, std::max(0, failures - 1));
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(delay, cap)));
}

Backoff::Backoff(const Options& options, std::uint64_t seed) : options_(options), random_(seed) {}

std::chrono::nanoseconds Backoff::Next() {
  const auto base = BackoffDelay(options_, ++failures_);
  if (options_.jitter <= 0) return base;
  std::uniform_real_distribution<double> spread(1.0, 1.0 + options_.jitter);
  const auto jittered = static_cast<double>(base.count()) * spread(random_);
  return std::chrono::nanoseconds(
      static_cast<std::int64_t>(std::min(jittered, static_cast<double>(options_.cap.count()))));
}

}  // namespace dra
