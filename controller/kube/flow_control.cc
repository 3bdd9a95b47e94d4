// SPDX-License-Identifier: Apache-2.0
//
// The adaptation is additive increase, multiplicative decrease. Two moving averages of latency run
// beside each other: the slow one is what the server usually needs, the fast one what it needs now.
// Twice as long now means that requests queue up inside the server, and the limit halves.
#include "kube/flow_control.h"

#include <algorithm>
#include <cmath>

namespace dra::kube {
namespace {

constexpr double kFastWeight = 1.0 / 16;
constexpr double kSlowWeight = 1.0 / 256;
// The usual latency is found from above quickly (the first requests pay for handshakes) and left
// upwards slowly.
constexpr double kSlowWeightDown = 1.0 / 16;
// One outlier may count as four usual latencies at most: p99 is ten times p50 on a healthy server.
constexpr double kOutlier = 4.0;
constexpr double kRising = 2.0;
// Below this the doubling is noise of the scheduler, not a queue in the server.
constexpr double kFlatBelowNanoseconds = 2e6;

}  // namespace

FlowControl::FlowControl(const Options& options, Clock& clock)
    : options_(options),
      clock_(clock),
      limit_(std::clamp(options.initial, std::max(1, options.minimum),
                        std::max({1, options.minimum, options.maximum}))),
      tokens_(std::max(1, options.burst)),
      refilled_(clock.Now()),
      closed_until_(clock.Now()) {}

bool FlowControl::MayStart() const {
  return in_flight_ < limit_ && clock_.Now() >= closed_until_ &&
         (options_.qps <= 0 || tokens_ >= 1);
}

void FlowControl::Refill() {
  if (options_.qps <= 0) return;
  const auto now = clock_.Now();
  const double seconds = std::chrono::duration<double>(now - refilled_).count();
  tokens_ =
      std::min(static_cast<double>(std::max(1, options_.burst)), tokens_ + seconds * options_.qps);
  refilled_ = now;
}

Result<void> FlowControl::Acquire(const std::stop_token& stop) {
  const Error cancelled(Code::kCancelled, "stopped while waiting for flow control");
  MutexLock lock(mutex_);
  for (;;) {
    if (stop.stop_requested()) return cancelled;
    Refill();
    if (MayStart()) break;
    // Time itself opens the gate when it is closed or the bucket is empty; else a Release does.
    auto wake = Clock::Steady::max();
    if (in_flight_ < limit_) {
      wake = closed_until_;
      if (options_.qps > 0 && tokens_ < 1) {
        const auto token = std::chrono::duration<double>((1 - tokens_) / options_.qps);
        wake = std::max(wake, refilled_ + std::chrono::ceil<Clock::Duration>(token));
      }
    }
    clock_.WaitUntil(changed_, lock, wake, stop, [this] { return MayStart(); });
  }
  if (options_.qps > 0) tokens_ -= 1;
  ++in_flight_;
  return {};
}

void FlowControl::Adapt(Outcome outcome, Clock::Duration latency) {
  const bool held = hold_ > 0;
  if (held) --hold_;
  bool shrink = outcome == Outcome::kThrottled;
  if (outcome == Outcome::kSuccess) {
    double sample = static_cast<double>(latency.count());
    if (slow_latency_ <= 0) slow_latency_ = fast_latency_ = sample;
    sample = std::min(sample, kOutlier * std::max(slow_latency_, kFlatBelowNanoseconds));
    slow_latency_ +=
        (sample < slow_latency_ ? kSlowWeightDown : kSlowWeight) * (sample - slow_latency_);
    fast_latency_ += kFastWeight * (sample - fast_latency_);
    shrink = fast_latency_ > kRising * std::max(slow_latency_, kFlatBelowNanoseconds);
  }
  if (shrink && !held) {
    limit_ = std::max(std::max(1, options_.minimum), limit_ / 2);
    // The requests that are out started under the old limit: their answers say nothing new.
    hold_ = in_flight_;
    // Meet half way: if the server stays that slow, that is what is usual from now on.
    slow_latency_ = fast_latency_ = (slow_latency_ + fast_latency_) / 2;
    window_successes_ = 0;
    return;
  }
  if (shrink || outcome == Outcome::kFailure) {
    window_successes_ = 0;
    return;
  }
  // An idle client learns nothing about the server: the limit grows only while it is in use.
  if (held || 2 * (in_flight_ + 1) < limit_ || ++window_successes_ < limit_) return;
  window_successes_ = 0;
  limit_ = std::min(limit_ + 1, std::max({1, options_.minimum, options_.maximum}));
}

void FlowControl::Release(Outcome outcome, Clock::Duration latency,
                          std::chrono::milliseconds retry_after) {
  MutexLock lock(mutex_);
  --in_flight_;
  if (retry_after.count() > 0) {
    closed_until_ = std::max(closed_until_, clock_.Now() + retry_after);
  }
  Adapt(outcome, latency);
  changed_.notify_all();
}

int FlowControl::limit() const {
  MutexLock lock(mutex_);
  return limit_;
}

int FlowControl::in_flight() const {
  MutexLock lock(mutex_);
  return in_flight_;
}

}  // namespace dra::kube
