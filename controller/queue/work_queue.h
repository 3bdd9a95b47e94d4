// SPDX-License-Identifier: Apache-2.0
//
// WorkQueue: which item is to be reconciled next, and by whom. It promises:
//   - an item is pending at most once, however often it is added;
//   - at most one worker has an item at a time, so nothing above needs a lock per object;
//   - an item that is added while a worker has it is handed out once more afterwards: no event is
//     lost, and the later run sees what the event told;
//   - items are handed out round robin over FairnessKey(item), in order of arrival within one key;
//   - delayed adds fire without a thread of their own: of the workers that wait in Get, one (the
//     timekeeper) waits for the earliest deadline, the others only for work. A deadline then wakes
//     one worker and not fifty.
// It knows nothing of errors and back-off: it only counts failures per item, and the runtime turns
// the count into a delay.
//
// Item: copyable, std::hash, ==, and a FairnessKey found by argument-dependent lookup. It may carry
// a reason that takes no part in equality; of equal pending items the first one's reason stays.
//
// Thread-safe. All workers must have left Get before destruction.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "metrics/queue_probe.h"
#include "queue/delayed_items.h"
#include "queue/fair_lanes.h"

namespace dra::queue {

template <class Item>
class WorkQueue {
 public:
  WorkQueue(Clock& clock, metrics::QueueProbe& probe) : clock_(clock), probe_(probe) {
    probe_.SetSnapshot([this] { return Snapshot(); });
  }
  ~WorkQueue() { probe_.SetSnapshot(nullptr); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Pending from now on. Cancels a delay of the item: this run makes the later one superfluous.
  void Add(Item item) {
    const Clock::Steady now = clock_.Now();
    MutexLock lock(mutex_);
    if (!shut_down_) MakePending(std::move(item), now);
  }

  // Pending after `delay`; the earliest of several deadlines counts. Nothing to do if the item is
  // pending already: that run comes first and decides anew whether and when to look again.
  void AddAfter(Item item, Clock::Duration delay) {
    const Clock::Steady now = clock_.Now();
    MutexLock lock(mutex_);
    if (shut_down_) return;
    probe_.Retried();  // client-go counts every delayed add under this name
    if (delay <= Clock::Duration::zero()) return MakePending(std::move(item), now);
    if (dirty_.contains(item)) return;
    const bool far = delay > Clock::Steady::max() - now;  // the sum would overflow
    const Clock::Steady before = delayed_.Earliest();
    delayed_.Put(std::move(item), far ? Clock::Steady::max() : now + delay);
    if (delayed_.Earliest() < before) timekeeper_wake_.notify_one();
  }

  // Blocks until an item is pending and hands it out; Finish must follow. nullopt on stop and after
  // ShutDown, even when items are left.
  std::optional<Item> Get(const std::stop_token& stop) {
    MutexLock lock(mutex_);
    for (;;) {
      PromoteDue();
      if (shut_down_) return std::nullopt;
      if (stop.stop_requested()) {
        WakeOne();  // the wake-up that we may have used up belongs to someone who works
        return std::nullopt;
      }
      if (!ready_.empty()) return HandOut();
      WaitForWork(lock, stop);
    }
  }

  // Ends the work on an item from Get. An item that was added meanwhile becomes pending again.
  void Finish(const Item& item) {
    const Clock::Steady now = clock_.Now();
    MutexLock lock(mutex_);
    const auto working = processing_.find(item);
    assert(working != processing_.end() && "Finish without Get");
    if (working == processing_.end()) return;
    probe_.Finished(now - working->second);
    processing_.erase(working);
    const auto again = dirty_.find(item);
    if (again == dirty_.end()) return;
    ready_.Push(again->first);
    WakeOne();
  }

  // Failures in a row, as counted by the caller; zero after Forget. An entry lives until Forget, so
  // whoever counts must forget when the item succeeds or is given up.
  int Failures(const Item& item) const {
    MutexLock lock(mutex_);
    const auto found = failures_.find(item);
    return found == failures_.end() ? 0 : found->second;
  }
  // Returns the new count.
  int CountFailure(const Item& item) {
    MutexLock lock(mutex_);
    return ++failures_[item];
  }
  void Forget(const Item& item) {
    MutexLock lock(mutex_);
    failures_.erase(item);
  }

  // Ends all waits; later adds are ignored, and what is pending is dropped: the next leader finds
  // it again from the state of the cluster. Items in work may still be finished.
  void ShutDown() {
    MutexLock lock(mutex_);
    shut_down_ = true;
    dirty_.clear();
    ready_ = {};
    delayed_.Clear();
    worker_wake_.notify_all();
    timekeeper_wake_.notify_all();
  }

  // Pending items, those that wait for their current run to end included (client-go's depth);
  // delayed ones are not.
  std::size_t Depth() const {
    MutexLock lock(mutex_);
    return dirty_.size();
  }

  metrics::QueueSnapshot Snapshot() const {
    const Clock::Steady now = clock_.Now();
    MutexLock lock(mutex_);
    metrics::QueueSnapshot snapshot{.depth = dirty_.size()};
    for (const auto& [item, started] : processing_) {
      const Clock::Duration age = std::max(now - started, Clock::Duration::zero());
      snapshot.unfinished += age;
      snapshot.longest = std::max<Clock::Duration>(snapshot.longest, age);
    }
    return snapshot;
  }

 private:
  void MakePending(Item item, Clock::Steady since) REQUIRES(mutex_) {
    delayed_.Cancel(item);
    const auto [place, is_new] = dirty_.try_emplace(std::move(item), since);
    if (!is_new) return;
    probe_.Added();
    if (processing_.contains(place->first)) return;  // Finish will make it ready
    ready_.Push(place->first);
    WakeOne();
  }

  void PromoteDue() REQUIRES(mutex_) {
    if (delayed_.empty()) return;
    const Clock::Steady now = clock_.Now();
    // Waiting counts from the deadline: when all workers are busy nobody promotes, and that time is
    // part of what the latency metric is for.
    while (auto due = delayed_.TakeDue(now)) MakePending(std::move(due->item), due->deadline);
  }

  Item HandOut() REQUIRES(mutex_) {
    Item item = ready_.Pop();
    const Clock::Steady now = clock_.Now();
    const auto pending = dirty_.find(item);
    probe_.Started(std::max(now - pending->second, Clock::Duration::zero()));
    dirty_.erase(pending);
    processing_.emplace(item, now);
    // Two notifications can hit the same waiter; passing on what is left makes up for that.
    if (!ready_.empty()) WakeOne();
    return item;
  }

  void WaitForWork(MutexLock& lock, const std::stop_token& stop) REQUIRES(mutex_) {
    if (has_timekeeper_) {
      ++idle_workers_;
      clock_.WaitUntil(worker_wake_, lock, Clock::Steady::max(), stop,
                       [this] { return !ready_.empty() || shut_down_ || !has_timekeeper_; });
      --idle_workers_;
      return;
    }
    has_timekeeper_ = true;
    const Clock::Steady deadline = delayed_.Earliest();
    clock_.WaitUntil(timekeeper_wake_, lock, deadline, stop, [this, deadline] {
      return !ready_.empty() || shut_down_ || delayed_.Earliest() < deadline;
    });
    has_timekeeper_ = false;
    worker_wake_.notify_one();  // takes over the watch, unless we come back for it first
  }

  // Wakes somebody who will look at ready_. Workers before the timekeeper, because a woken
  // timekeeper costs a second wake-up for its successor.
  void WakeOne() REQUIRES(mutex_) {
    if (idle_workers_ > 0) {
      worker_wake_.notify_one();
    } else {
      timekeeper_wake_.notify_one();
    }
  }

  Clock& clock_;
  metrics::QueueProbe& probe_;

  mutable Mutex mutex_;
  CondVar worker_wake_;
  CondVar timekeeper_wake_;

  // Pending items, with the time since when. Disjoint from delayed_.
  std::unordered_map<Item, Clock::Steady> dirty_ GUARDED_BY(mutex_);
  // Items that a worker has, with the time of Get. May overlap with dirty_: added meanwhile.
  std::unordered_map<Item, Clock::Steady> processing_ GUARDED_BY(mutex_);
  // Exactly the items in dirty_ and not in processing_, in the order of hand-out.
  FairLanes<Item> ready_ GUARDED_BY(mutex_);
  DelayedItems<Item> delayed_ GUARDED_BY(mutex_);
  std::unordered_map<Item, int> failures_ GUARDED_BY(mutex_);

  // If anybody waits in Get, one of them is the timekeeper or has been notified to become it.
  bool has_timekeeper_ GUARDED_BY(mutex_) = false;
  std::size_t idle_workers_ GUARDED_BY(mutex_) = 0;  // waiting in Get beside the timekeeper
  bool shut_down_ GUARDED_BY(mutex_) = false;
};

}  // namespace dra::queue
