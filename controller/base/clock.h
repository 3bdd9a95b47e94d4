// SPDX-License-Identifier: Apache-2.0
//
// Clock: the only source of time and the only way to wait for time. Tests put a FakeClock in its
// place and move it by hand, so no test sleeps.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "base/mutex.h"

namespace dra {

class Clock {
 public:
  using Duration = std::chrono::nanoseconds;
  using Steady =
      std::chrono::steady_clock::time_point;  // never jumps: deadlines, back-off, latency
  using Wall =
      std::chrono::system_clock::time_point;  // may jump: only for what is written to objects

  virtual ~Clock() = default;

  virtual Steady Now() const = 0;
  virtual Wall WallNow() const = 0;

  // Waits on `cv` until `ready()`, `deadline`, or a stop request, whichever is first; returns
  // ready(). `lock` is held on entry, while ready() runs, and on return.
  virtual bool WaitUntil(CondVar& cv, MutexLock& lock, Steady deadline, const std::stop_token& stop,
                         const std::function<bool()>& ready) = 0;

  // Returns false if a stop was requested before the time had passed.
  bool SleepFor(Duration duration, const std::stop_token& stop);
};

// The real time. Stateless; one instance serves the process.
class SystemClock final : public Clock {
 public:
  Steady Now() const override;
  Wall WallNow() const override;
  bool WaitUntil(CondVar& cv, MutexLock& lock, Steady deadline, const std::stop_token& stop,
                 const std::function<bool()>& ready) override;
};

}  // namespace dra
