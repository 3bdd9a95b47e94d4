// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <thread>

#include <gtest/gtest.h>

#include "support/fake_clock.h"

namespace dra {
namespace {

TEST(ClockTest, SleepEndsWhenTheTimeHasPassed) {
  test::FakeClock clock;
  bool slept = false;
  std::jthread sleeper(
      [&](const std::stop_token& stop) { slept = clock.SleepFor(std::chrono::hours(1), stop); });
  ASSERT_TRUE(clock.AwaitWaiters(1));
  clock.Advance(std::chrono::hours(1));
  sleeper.join();
  EXPECT_TRUE(slept);
}

TEST(ClockTest, SleepEndsAtOnceOnAStopRequest) {
  SystemClock clock;
  bool slept = true;
  std::jthread sleeper(
      [&](const std::stop_token& stop) { slept = clock.SleepFor(std::chrono::hours(1), stop); });
  sleeper.request_stop();
  sleeper.join();
  EXPECT_FALSE(slept);
}

TEST(ClockTest, WaitReturnsWhatTheConditionSays) {
  SystemClock clock;
  Mutex mutex;
  CondVar cv;
  MutexLock lock(mutex);
  const auto past = clock.Now() - std::chrono::seconds(1);
  EXPECT_FALSE(clock.WaitUntil(cv, lock, past, {}, [] { return false; }));
  EXPECT_TRUE(clock.WaitUntil(cv, lock, past, {}, [] { return true; }));
  EXPECT_TRUE(clock.WaitUntil(cv, lock, Clock::Steady::max(), {}, [] { return true; }));
}

TEST(ClockTest, SteadyTimeDoesNotGoBack) {
  SystemClock clock;
  const auto before = clock.Now();
  EXPECT_GE(clock.Now(), before);
}

}  // namespace
}  // namespace dra
