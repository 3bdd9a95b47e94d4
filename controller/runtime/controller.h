// SPDX-License-Identifier: Apache-2.0
//
// Controller<Item>: the workers of one queue. Takes an item, has it reconciled, and maps the
// outcome to queue and metrics in one switch: the whole retry policy stands in Settle.
//
// Life cycle: construct, Start once, Stop once (or destroy). Threads: `workers` of its own.
#pragma once

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/result.h"
#include "metrics/reconcile_probe.h"
#include "queue/work_queue.h"
#include "runtime/failure_log.h"
#include "runtime/reconciler.h"

namespace dra::runtime {

// client-go's curve for failing items, but never as rare as its 1,000 s (W10): after ten failures
// an item is tried less than once in five seconds.
inline constexpr Backoff::Options kRetryBackoff{std::chrono::milliseconds(5),
                                                std::chrono::minutes(5)};
// Conflicts are other writers at work, not failures: read again soon.
inline constexpr std::chrono::seconds kLongestConflictDelay{1};
// A server may ask us to stay away, but not for ever.
inline constexpr std::chrono::minutes kLongestAskedFor{60};
// No reconciliation takes this long unless something hangs: each request has a deadline of 30 s.
inline constexpr std::chrono::minutes kHungAfter{5};

template <class Item>
class Controller {
 public:
  struct Options {
    std::string name;
    int workers = 1;
  };

  Controller(Options options, Clock& clock, queue::WorkQueue<Item>& queue,
             Reconciler<Item>& reconciler, metrics::ReconcileProbe& probe)
      : options_(std::move(options)),
        clock_(clock),
        queue_(queue),
        reconciler_(reconciler),
        probe_(probe),
        failure_log_(options_.name, clock) {}
  ~Controller() { Stop(); }
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  void Start() {
    for (int i = 0; i < options_.workers; ++i) {
      workers_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
    }
  }

  void Stop() {
    for (std::jthread& worker : workers_) worker.request_stop();
    queue_.ShutDown();
    workers_.clear();  // joins
  }

  // An error if some reconciliation hangs.
  Result<void> Alive() const {
    const auto longest = queue_.Snapshot().longest;
    if (longest < kHungAfter) return {};
    return Error(Code::kInternal, options_.name + ": a reconciliation has been running for " +
                                      std::to_string(longest / std::chrono::seconds(1)) + " s");
  }

 private:
  void Work(const std::stop_token& stop) {
    while (auto item = queue_.Get(stop)) {
      const auto start = clock_.Now();
      const Outcome outcome = Reconcile(*item, stop);
      // Asked to stop: what did not come to an end is found again by whoever runs next.
      if (!stop.stop_requested()) Settle(*item, outcome, clock_.Now() - start);
      queue_.Finish(*item);
    }
  }

  Outcome Reconcile(const Item& item, const std::stop_token& stop) {
    try {
      return reconciler_.Reconcile(item, stop);
    } catch (const std::exception& e) {
      return Retry{Error(Code::kInternal, std::string("unexpected exception: ") + e.what())};
    } catch (...) {
      return Retry{Error(Code::kInternal, "unexpected exception")};
    }
  }

  // The one place where an outcome becomes a delay, a count and a log line.
  void Settle(const Item& item, const Outcome& outcome, Clock::Duration took) {
    using metrics::ReconcileResult;
    if (std::holds_alternative<Done>(outcome)) {
      queue_.Forget(item);
      probe_.Reconciled(ReconcileResult::kDone, took);
    } else if (const auto* later = std::get_if<RequeueAfter>(&outcome)) {
      queue_.AddAfter(item, later->delay);
      probe_.Reconciled(ReconcileResult::kRequeue, took);
    } else if (const auto* gave_up = std::get_if<GiveUp>(&outcome)) {
      queue_.Forget(item);
      queue_.AddAfter(item, gave_up->recheck);
      failure_log_.GaveUp(Describe(item), gave_up->error, gave_up->recheck);
      probe_.Reconciled(ReconcileResult::kGiveUp, took);
    } else {
      Settle(item, std::get<Retry>(outcome), took);
    }
  }

  void Settle(const Item& item, const Retry& retry, Clock::Duration took) {
    const bool conflict = retry.error.code() == Code::kConflict;
    const int failures = queue_.CountFailure(item);
    Clock::Duration delay = BackoffDelay(kRetryBackoff, failures);
    if (retry.longest > Clock::Duration::zero())
      delay = std::min<Clock::Duration>(delay, retry.longest);
    if (conflict) delay = std::min<Clock::Duration>(delay, kLongestConflictDelay);
    if (retry.error.retry_after) {
      // Compared as milliseconds: an absurd number of them would overflow as nanoseconds.
      const auto asked =
          std::min<std::chrono::milliseconds>(*retry.error.retry_after, kLongestAskedFor);
      delay = std::max<Clock::Duration>(delay, asked);
    }
    queue_.AddAfter(item, delay);
    probe_.Reconciled(
        conflict ? metrics::ReconcileResult::kConflict : metrics::ReconcileResult::kRetry, took);
    if (!conflict) failure_log_.Retrying(Describe(item), retry.error, failures, delay);
  }

  const Options options_;
  Clock& clock_;
  queue::WorkQueue<Item>& queue_;
  Reconciler<Item>& reconciler_;
  metrics::ReconcileProbe& probe_;
  FailureLog failure_log_;
  std::vector<std::jthread> workers_;
};

}  // namespace dra::runtime
