// SPDX-License-Identifier: Apache-2.0
//
// FlowControl: how many requests of one purpose may be on the wire, and how fast they may start.
// Each purpose (claim writes, events, later evictions and the lease) has one of its own, so that
// none can starve another.
//
// With qps == 0 (the default) there is no clock-driven throttle: the in-flight limit grows by one
// per window of successes while latency stays flat, and halves on 429 or when latency doubles (the
// server's CPU is the limit, and 16 to 32 requests in flight reach it). With qps > 0 a token bucket
// of qps and burst comes on top. A 429 with Retry-After closes the gate for that long.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <stop_token>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"

namespace dra::kube {

class FlowControl {
 public:
  struct Options {
    double qps = 0;    // 0: adaptive only
    int burst = 1;     // tokens when qps > 0; >= 1
    int initial = 16;  // in-flight limit at start
    int minimum = 1;
    int maximum = 64;  // above 300 in flight the API server answers 429
  };

  FlowControl(const Options& options, Clock& clock);

  // Blocks until the request may start. kCancelled on stop.
  Result<void> Acquire(const std::stop_token& stop);

  enum class Outcome { kSuccess, kThrottled, kFailure };

  // Must follow every successful Acquire exactly once. `latency` is that of the request;
  // `retry_after` is what a 429 asked for.
  void Release(Outcome outcome, Clock::Duration latency, std::chrono::milliseconds retry_after);

  int limit() const;
  int in_flight() const;

 private:
  bool MayStart() const REQUIRES(mutex_);
  void Refill() REQUIRES(mutex_);
  void Adapt(Outcome outcome, Clock::Duration latency) REQUIRES(mutex_);

  const Options options_;
  Clock& clock_;

  mutable Mutex mutex_;
  CondVar changed_;
  int limit_ GUARDED_BY(mutex_);
  int in_flight_ GUARDED_BY(mutex_) = 0;
  double tokens_ GUARDED_BY(mutex_);
  Clock::Steady refilled_ GUARDED_BY(mutex_);
  Clock::Steady closed_until_ GUARDED_BY(mutex_);  // after a Retry-After
  // State of the adaptation: see the .cc.
  int window_successes_ GUARDED_BY(mutex_) = 0;
  int hold_ GUARDED_BY(mutex_) = 0;  // answers to ignore after the limit was halved
  // Moving averages in ns: fast_ over the last requests, slow_ over a long time.
  double fast_latency_ GUARDED_BY(mutex_) = 0;
  double slow_latency_ GUARDED_BY(mutex_) = 0;
};

}  // namespace dra::kube
