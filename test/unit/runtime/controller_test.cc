// SPDX-License-Identifier: Apache-2.0
#include "runtime/controller.h"

#include <atomic>
#include <functional>

#include <gtest/gtest.h>

#include "metrics/queue_probe.h"
#include "metrics/registry.h"
#include "support/fake_clock.h"
#include "support/threads.h"

namespace dra::runtime {

struct Thing {
  std::string name;
  bool operator==(const Thing&) const = default;
};
inline const std::string& FairnessKey(const Thing& thing) { return thing.name; }
inline std::string Describe(const Thing& thing) { return thing.name; }

}  // namespace dra::runtime

template <>
struct std::hash<dra::runtime::Thing> {
  std::size_t operator()(const dra::runtime::Thing& thing) const noexcept {
    return std::hash<std::string>{}(thing.name);
  }
};

namespace dra::runtime {
namespace {

class Scripted final : public Reconciler<Thing> {
 public:
  std::function<Outcome()> script;
  std::atomic<int> runs = 0;

  Outcome Reconcile(const Thing&, const std::stop_token&) override {
    ++runs;
    return script();
  }
};

struct Fixture : testing::Test {
  test::FakeClock clock;
  metrics::Registry registry;
  metrics::QueueProbe queue_probe{registry, "test"};
  metrics::ReconcileProbe probe{registry, "test"};
  queue::WorkQueue<Thing> queue{clock, queue_probe};
  Scripted reconciler;
  Controller<Thing> controller{{"test", 1}, clock, queue, reconciler, probe};

  // How often the item ran after `rounds` times `step` of fake time.
  int RunsAfter(int rounds, Clock::Duration step) {
    queue.Add({"a"});
    controller.Start();
    for (int i = 0; i < rounds; ++i) {
      test::LetThreadsRun();
      clock.Advance(step);
    }
    test::LetThreadsRun();
    controller.Stop();
    return reconciler.runs;
  }
};

using ControllerTest = Fixture;

TEST_F(ControllerTest, FailingItemIsTriedLessThanOnceASecondAfterTenTries) {
  reconciler.script = [] { return Retry{Error(Code::kUnavailable, "down")}; };
  // Looked at once a second: the first nine delays are shorter, then they are 2.6, 5.1, 10 and 20
  // s.
  const int runs = RunsAfter(60, std::chrono::seconds(1));
  EXPECT_GE(runs, 10);
  EXPECT_LE(runs, 15);
}

TEST_F(ControllerTest, BoundOfARetryIsKept) {
  reconciler.script = [] {
    return Retry{Error(Code::kForbidden, "no"), std::chrono::milliseconds(10)};
  };
  EXPECT_GE(RunsAfter(20, std::chrono::milliseconds(20)), 15);
}

TEST_F(ControllerTest, GivenUpItemIsLookedAtAgainOnlyAfterTheRecheck) {
  reconciler.script = [] { return GiveUp{Error(Code::kInvalid, "never")}; };
  EXPECT_EQ(RunsAfter(5, std::chrono::minutes(1)), 1);
}

TEST_F(ControllerTest, RetryAfterOfTheServerIsALowerBound) {
  reconciler.script = [] {
    Error error(Code::kThrottled, "busy");
    error.retry_after = std::chrono::seconds(60);
    return Retry{error};
  };
  EXPECT_EQ(RunsAfter(5, std::chrono::seconds(10)), 1);
}

TEST_F(ControllerTest, ExceptionIsAFailureAndNotTheEnd) {
  reconciler.script = []() -> Outcome { throw std::runtime_error("bug"); };
  EXPECT_GE(RunsAfter(3, std::chrono::seconds(1)), 2);
}

}  // namespace
}  // namespace dra::runtime
