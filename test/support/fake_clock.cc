// SPDX-License-Identifier: Apache-2.0
#include "support/fake_clock.h"

namespace dra::test {

Clock::Steady FakeClock::Now() const {
  MutexLock lock(mutex_);
  return now_;
}

Clock::Wall FakeClock::WallNow() const {
  MutexLock lock(mutex_);
  return wall_;
}

bool FakeClock::WaitUntil(CondVar& cv, MutexLock& lock, Steady deadline,
                          const std::stop_token& stop, const std::function<bool()>& ready) {
  const bool timed = deadline != Steady::max();
  if (timed) {
    MutexLock own(mutex_);
    waiting_.insert(&cv);
    waiters_changed_.notify_all();
  }
  // Real time polls only as a safety net: Advance cannot take the caller's lock, so its
  // notification could fall between the check and the wait.
  while (!ready() && !stop.stop_requested() && (!timed || Now() < deadline)) {
    cv.wait_for(lock, stop, std::chrono::milliseconds(5),
                [&] { return ready() || (timed && Now() >= deadline); });
  }
  if (timed) {
    MutexLock own(mutex_);
    waiting_.erase(waiting_.find(&cv));
    waiters_changed_.notify_all();
  }
  return ready();
}

void FakeClock::Advance(Duration by) {
  MutexLock lock(mutex_);
  now_ += std::chrono::duration_cast<Steady::duration>(by);
  wall_ += std::chrono::duration_cast<Wall::duration>(by);
  for (CondVar* cv : waiting_) cv->notify_all();
}

bool FakeClock::AwaitWaiters(std::size_t count) {
  MutexLock lock(mutex_);
  return waiters_changed_.wait_for(lock, std::chrono::seconds(10),
                                   [&] { return waiting_.size() >= count; });
}

}  // namespace dra::test
