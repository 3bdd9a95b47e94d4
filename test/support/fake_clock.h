// SPDX-License-Identifier: Apache-2.0
//
// FakeClock: time that moves only when a test says so. Waits end when Advance passes their
// deadline.
#pragma once

#include <set>

#include "base/clock.h"

namespace dra::test {

class FakeClock final : public Clock {
 public:
  Steady Now() const override;
  Wall WallNow() const override;
  bool WaitUntil(CondVar& cv, MutexLock& lock, Steady deadline, const std::stop_token& stop,
                 const std::function<bool()>& ready) override;

  void Advance(Duration by);

  // Blocks (in real time, at most 10 s) until `count` threads wait with a deadline; false if they
  // never do.
  bool AwaitWaiters(std::size_t count);

 private:
  mutable Mutex mutex_;
  CondVar waiters_changed_;
  Steady now_ GUARDED_BY(mutex_){std::chrono::hours(1000)};
  Wall wall_ GUARDED_BY(mutex_){std::chrono::sys_days(std::chrono::year(2026) / 12 / 1)};
  std::multiset<CondVar*> waiting_ GUARDED_BY(mutex_);
};

}  // namespace dra::test
