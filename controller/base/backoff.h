// SPDX-License-Identifier: Apache-2.0
//
// Backoff: exponential delays with jitter and a cap. Not thread-safe: each user owns one.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace dra {

class Backoff {
 public:
  struct Options {
    std::chrono::nanoseconds first;  // the delay after the first failure, before jitter; > 0
    std::chrono::nanoseconds cap;    // no delay, jitter included, is longer than this
    double factor = 2.0;             // growth per failure; >= 1
    double jitter = 0.0;             // a delay is drawn from [d, d * (1 + jitter)]; >= 0
  };

  explicit Backoff(const Options& options, std::uint64_t seed = std::random_device{}());

  // The delay to wait now; the next call returns a longer one until the cap.
  std::chrono::nanoseconds Next();

  // Forget past failures.
  void Reset() { failures_ = 0; }

  int failures() const { return failures_; }

 private:
  const Options options_;
  int failures_ = 0;
  std::mt19937_64 random_;
};

// The same curve without state or jitter: the delay after `failures` (>= 1) failures in a row.
std::chrono::nanoseconds BackoffDelay(const Backoff::Options& options, int failures);

}  // namespace dra
