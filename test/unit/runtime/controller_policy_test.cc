// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/registry.h"
#include "runtime/controller.h"
#include "support/fake_clock.h"

namespace dra::runtime {

struct Widget {
  std::string name;
  bool operator==(const Widget&) const = default;
};
const std::string& FairnessKey(const Widget& item) { return item.name; }
std::string Describe(const Widget& item) { return "item " + item.name; }

}  // namespace dra::runtime

template <>
struct std::hash<dra::runtime::Widget> {
  std::size_t operator()(const dra::runtime::Widget& item) const noexcept {
    return std::hash<std::string>{}(item.name);
  }
};

namespace dra::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AnyOf;
using testing::HasSubstr;

// Answers from a function and remembers when it was asked.
class Script final : public Reconciler<Widget> {
 public:
  using Answer = std::function<Outcome(const Widget&, const std::stop_token&)>;

  Script(Clock& clock, Answer answer) : clock_(clock), answer_(std::move(answer)) {}

  Outcome Reconcile(const Widget& item, const std::stop_token& stop) override {
    {
      MutexLock lock(mutex_);
      runs_.push_back(clock_.Now());
      changed_.notify_all();
    }
    return answer_(item, stop);
  }

  // Waits in real time, at most 10 s, until there were `count` runs.
  bool AwaitRuns(std::size_t count) {
    MutexLock lock(mutex_);
    return changed_.wait_for(lock, seconds(10), [&] { return runs_.size() >= count; });
  }

  std::vector<Clock::Steady> runs() const {
    MutexLock lock(mutex_);
    return runs_;
  }

 private:
  Clock& clock_;
  const Answer answer_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<Clock::Steady> runs_ GUARDED_BY(mutex_);
};

class ControllerPolicy : public testing::Test {
 protected:
  void Run(Script::Answer answer, int workers = 1) {
    script_ = std::make_unique<Script>(clock_, std::move(answer));
    controller_ = std::make_unique<Controller<Widget>>(Controller<Widget>::Options{"test", workers},
                                                       clock_, queue_, *script_, probe_);
    controller_->Start();
  }

  void TearDown() override {
    if (controller_) controller_->Stop();
  }

  // Blocks until the worker has put the item aside and waits for its deadline.
  void AwaitDelay() { ASSERT_TRUE(clock_.AwaitWaiters(1)); }

  // Moves time to just before `delay` is over and then past it; the item must run then, not before.
  void ExpectNextRunAfter(Clock::Duration delay) {
    AwaitDelay();
    const std::size_t before = script_->runs().size();
    clock_.Advance(delay - milliseconds(1));
    AwaitDelay();
    EXPECT_EQ(script_->runs().size(), before);
    clock_.Advance(milliseconds(1));
    ASSERT_TRUE(script_->AwaitRuns(before + 1));
  }

  test::FakeClock clock_;
  metrics::Registry registry_;
  metrics::QueueProbe queue_probe_{registry_, "test"};
  metrics::ReconcileProbe probe_{registry_, "test"};
  queue::WorkQueue<Widget> queue_{clock_, queue_probe_};
  std::unique_ptr<Script> script_;
  std::unique_ptr<Controller<Widget>> controller_;
};

std::string Counted(const std::string& result, int times) {
  return "dra_reconcile_total{controller=\"test\",result=\"" + result + "\"} " +
         std::to_string(times) + "\n";
}

Script::Answer Always(Outcome outcome) {
  return [outcome](const Widget&, const std::stop_token&) { return outcome; };
}

Outcome RetryFor(Code code) { return Retry{Error(code, "failed")}; }

TEST_F(ControllerPolicy, ADoneItemRunsOnceAndIsCounted) {
  Run(Always(Done{}));
  queue_.Add({"a"});
  queue_.Add({"b"});
  ASSERT_TRUE(script_->AwaitRuns(2));  // the one worker has settled "a" before it takes "b"
  EXPECT_EQ(queue_.Failures({"a"}), 0);
  EXPECT_THAT(registry_.Serialize(),
              AnyOf(HasSubstr(Counted("done", 1)), HasSubstr(Counted("done", 2))));
}

TEST_F(ControllerPolicy, AFailingItemBacksOffFromFiveMillisecondsByDoubling) {
  Run(Always(RetryFor(Code::kUnavailable)));
  queue_.Add({"a"});
  for (const int delay : {5, 10, 20, 40, 80}) ExpectNextRunAfter(milliseconds(delay));
}

TEST_F(ControllerPolicy, AfterTenFailuresAnItemRunsLessThanOnceASecond) {
  Run(Always(RetryFor(Code::kUnavailable)));
  queue_.Add({"a"});
  for (int i = 0; i < 40; ++i) {
    AwaitDelay();
    const std::size_t before = script_->runs().size();
    clock_.Advance(minutes(6));  // past any delay
    ASSERT_TRUE(script_->AwaitRuns(before + 1));
  }
  AwaitDelay();
  const std::size_t before = script_->runs().size();
  clock_.Advance(minutes(5) - milliseconds(1));  // the cap
  AwaitDelay();
  EXPECT_EQ(script_->runs().size(), before);
}

TEST_F(ControllerPolicy, TheTenthFailureWaitsForMoreThanASecond) {
  Run(Always(RetryFor(Code::kUnavailable)));
  queue_.Add({"a"});
  for (int failures = 1; failures < 10; ++failures) {
    ExpectNextRunAfter(milliseconds(5) * (1 << (failures - 1)));
  }
  AwaitDelay();
  clock_.Advance(seconds(1));
  AwaitDelay();
  EXPECT_EQ(script_->runs().size(), 10U);
}

TEST_F(ControllerPolicy, AConflictIsCountedAsSuchAndWaitsAtMostASecond) {
  Run(Always(RetryFor(Code::kConflict)));
  queue_.Add({"a"});
  for (int i = 0; i < 15; ++i) {
    AwaitDelay();
    const std::size_t before = script_->runs().size();
    clock_.Advance(seconds(1));
    ASSERT_TRUE(script_->AwaitRuns(before + 1));
  }
  AwaitDelay();
  EXPECT_THAT(registry_.Serialize(), HasSubstr(Counted("conflict", 16)));
  EXPECT_THAT(registry_.Serialize(), HasSubstr(Counted("retry", 0)));
}

TEST_F(ControllerPolicy, TheServersRetryAfterIsALowerBound) {
  Error throttled(Code::kThrottled, "slow down");
  throttled.retry_after = seconds(7);
  Run(Always(Retry{throttled}));
  queue_.Add({"a"});
  ExpectNextRunAfter(seconds(7));
}

TEST_F(ControllerPolicy, AnAbsurdRetryAfterIsCutToAnHour) {
  Error throttled(Code::kThrottled, "never come back");
  throttled.retry_after = milliseconds::max();
  Run(Always(Retry{throttled}));
  queue_.Add({"a"});
  ExpectNextRunAfter(std::chrono::hours(1));
}

TEST_F(ControllerPolicy, AReconcilerCanShortenTheLongestDelay) {
  Run(Always(Retry{Error(Code::kForbidden, "not yet"), seconds(10)}));
  queue_.Add({"a"});
  for (int i = 0; i < 20; ++i) {
    AwaitDelay();
    const std::size_t before = script_->runs().size();
    clock_.Advance(seconds(10));
    ASSERT_TRUE(script_->AwaitRuns(before + 1));
  }
}

TEST_F(ControllerPolicy, GivingUpLooksAgainLaterAndForgetsTheFailures) {
  std::atomic<int> run{0};
  Run([&](const Widget&, const std::stop_token&) -> Outcome {
    if (++run <= 3) return RetryFor(Code::kUnavailable);
    return GiveUp{Error(Code::kInvalid, "never"), minutes(10)};
  });
  queue_.Add({"a"});
  for (const int delay : {5, 10, 20}) ExpectNextRunAfter(milliseconds(delay));
  AwaitDelay();
  EXPECT_EQ(queue_.Failures({"a"}), 0);
  ExpectNextRunAfter(minutes(10));
  AwaitDelay();
  EXPECT_THAT(registry_.Serialize(), HasSubstr(Counted("give_up", 2)));
}

TEST_F(ControllerPolicy, ARequeueIsNeitherAFailureNorAReset) {
  std::atomic<int> run{0};
  Run([&](const Widget&, const std::stop_token&) -> Outcome {
    if (++run == 2) return RequeueAfter{seconds(3), "mirror behind"};
    return RetryFor(Code::kUnavailable);
  });
  queue_.Add({"a"});
  ExpectNextRunAfter(milliseconds(5));
  AwaitDelay();
  EXPECT_EQ(queue_.Failures({"a"}), 1);
  ExpectNextRunAfter(seconds(3));
  ExpectNextRunAfter(milliseconds(10));  // the second failure, not the first
}

TEST_F(ControllerPolicy, AnExceptionFailsTheItemAndTheWorkerGoesOn) {
  Run([](const Widget& item, const std::stop_token&) -> Outcome {
    if (item.name == "bug") throw std::runtime_error("boom");
    if (item.name == "odd") throw 42;
    return Done{};
  });
  queue_.Add({"bug"});
  queue_.Add({"odd"});
  queue_.Add({"good"});
  ASSERT_TRUE(script_->AwaitRuns(3));
  controller_->Stop();
  EXPECT_EQ(queue_.Failures({"bug"}), 1);
  EXPECT_EQ(queue_.Failures({"odd"}), 1);
  EXPECT_THAT(registry_.Serialize(), HasSubstr(Counted("retry", 2)));
}

TEST_F(ControllerPolicy, StopCancelsWhatRunsAndCountsNothingAgainstIt) {
  Run(
      [](const Widget&, const std::stop_token& stop) -> Outcome {
        Mutex mutex;
        CondVar cv;
        MutexLock lock(mutex);
        cv.wait(lock, stop, [] { return false; });
        return RetryFor(Code::kCancelled);
      },
      4);
  for (const char* name : {"a", "b", "c", "d"}) queue_.Add({name});
  ASSERT_TRUE(script_->AwaitRuns(4));
  controller_->Stop();
  EXPECT_EQ(queue_.Failures({"a"}), 0);
  EXPECT_THAT(registry_.Serialize(), HasSubstr(Counted("retry", 0)));
}

TEST_F(ControllerPolicy, StoppingTwiceIsStoppingOnce) {
  Run(Always(Done{}), 3);
  controller_->Stop();
  controller_->Stop();
  queue_.Add({"late"});
  EXPECT_TRUE(script_->runs().empty());
}

TEST_F(ControllerPolicy, LivenessFailsWhileOneReconciliationHangs) {
  Run([](const Widget&, const std::stop_token& stop) -> Outcome {
    Mutex mutex;
    CondVar cv;
    MutexLock lock(mutex);
    cv.wait(lock, stop, [] { return false; });
    return Done{};
  });
  queue_.Add({"a"});
  ASSERT_TRUE(script_->AwaitRuns(1));
  clock_.Advance(minutes(5) - seconds(1));
  EXPECT_TRUE(controller_->Alive().ok());
  clock_.Advance(seconds(2));
  const auto alive = controller_->Alive();
  ASSERT_FALSE(alive.ok());
  EXPECT_THAT(alive.error().message(), HasSubstr("301 s"));
}

TEST_F(ControllerPolicy, AnIdleControllerStaysAlive) {
  Run(Always(Done{}));
  queue_.Add({"a"});
  ASSERT_TRUE(script_->AwaitRuns(1));
  controller_->Stop();
  clock_.Advance(minutes(60));
  EXPECT_TRUE(controller_->Alive().ok());
}

}  // namespace
}  // namespace dra::runtime
