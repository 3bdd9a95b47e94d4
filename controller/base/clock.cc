// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

namespace dra {

bool Clock::SleepFor(Duration duration, const std::stop_token& stop) {
  Mutex mutex;
  CondVar cv;
  MutexLock lock(mutex);
  WaitUntil(cv, lock, Now() + duration, stop, [] { return false; });
  return !stop.stop_requested();
}

Clock::Steady SystemClock::Now() const { return std::chrono::steady_clock::now(); }

Clock::Wall SystemClock::WallNow() const { return std::chrono::system_clock::now(); }

bool SystemClock::WaitUntil(CondVar& cv, MutexLock& lock, Steady deadline,
                            const std::stop_token& stop, const std::function<bool()>& ready) {
  if (deadline == Steady::max()) return cv.wait(lock, stop, ready);
  return cv.wait_until(lock, stop, deadline, ready);
}

}  // namespace dra
