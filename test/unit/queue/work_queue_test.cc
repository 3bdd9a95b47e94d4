// SPDX-License-Identifier: Apache-2.0
#include "queue/work_queue.h"

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "metrics/registry.h"
#include "support/fake_clock.h"

namespace dra::queue {

struct Job {
  std::string ns;
  int id = 0;
  bool operator==(const Job&) const = default;
};
inline const std::string& FairnessKey(const Job& job) { return job.ns; }

}  // namespace dra::queue

template <>
struct std::hash<dra::queue::Job> {
  std::size_t operator()(const dra::queue::Job& job) const noexcept {
    return std::hash<std::string>{}(job.ns) * 31 + static_cast<std::size_t>(job.id);
  }
};

namespace dra::queue {
namespace {

struct Fixture : testing::Test {
  test::FakeClock clock;
  metrics::Registry registry;
  metrics::QueueProbe probe{registry, "test"};
  WorkQueue<Job> queue{clock, probe};
  std::stop_source stop;

  // The next item; fails the test instead of blocking when there is none.
  Job Take() {
    if (queue.Depth() == 0) ADD_FAILURE() << "nothing is pending";
    auto job = queue.Get(stop.get_token());
    return job.value_or(Job{"none", -1});
  }
};

using WorkQueueTest = Fixture;

TEST_F(WorkQueueTest, EqualItemsArePendingOnce) {
  queue.Add({"a", 1});
  queue.Add({"a", 1});
  EXPECT_EQ(queue.Depth(), 1U);
}

TEST_F(WorkQueueTest, ItemAddedDuringItsWorkComesAgainAfterwardsAndNotBefore) {
  queue.Add({"a", 1});
  const Job first = Take();
  queue.Add({"a", 1});
  queue.Add({"a", 2});
  EXPECT_EQ(Take(), (Job{"a", 2}));  // not a second worker on item 1
  queue.Finish(first);
  EXPECT_EQ(Take(), (Job{"a", 1}));
}

TEST_F(WorkQueueTest, BurstOfOneNamespaceDoesNotDelayAnother) {
  for (int i = 0; i < 1000; ++i) queue.Add({"burst", i});
  queue.Add({"other", 0});
  const Job one = Take();
  const Job two = Take();
  EXPECT_TRUE(one.ns == "other" || two.ns == "other");
}

TEST_F(WorkQueueTest, ItemsOfOneNamespaceKeepTheirOrder) {
  for (int i = 0; i < 5; ++i) queue.Add({"a", i});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Take().id, i);
}

TEST_F(WorkQueueTest, DelayedItemComesWhenItsEarliestDeadlineHasPassed) {
  queue.AddAfter({"a", 1}, std::chrono::seconds(10));
  queue.AddAfter({"a", 1}, std::chrono::seconds(2));
  queue.AddAfter({"a", 1}, std::chrono::seconds(20));
  EXPECT_EQ(queue.Depth(), 0U);
  clock.Advance(std::chrono::seconds(3));
  const auto job = queue.Get(stop.get_token());
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(job->id, 1);
}

TEST_F(WorkQueueTest, ImmediateAddCancelsTheDelay) {
  queue.AddAfter({"a", 1}, std::chrono::seconds(10));
  queue.Add({"a", 1});
  queue.Finish(Take());
  clock.Advance(std::chrono::seconds(20));
  queue.Add({"a", 2});
  EXPECT_EQ(Take().id, 2);  // item 1 is not due a second time
  EXPECT_EQ(queue.Depth(), 0U);
}

TEST_F(WorkQueueTest, FailuresAreCountedUntilForgotten) {
  EXPECT_EQ(queue.CountFailure({"a", 1}), 1);
  EXPECT_EQ(queue.CountFailure({"a", 1}), 2);
  EXPECT_EQ(queue.Failures({"a", 2}), 0);
  queue.Forget({"a", 1});
  EXPECT_EQ(queue.Failures({"a", 1}), 0);
}

TEST_F(WorkQueueTest, ShutDownEndsTheWaitAndDropsWhatIsPending) {
  queue.Add({"a", 1});
  queue.ShutDown();
  EXPECT_FALSE(queue.Get(stop.get_token()).has_value());
  queue.Add({"a", 2});
  EXPECT_EQ(queue.Depth(), 0U);
}

TEST_F(WorkQueueTest, StopEndsTheWait) {
  std::jthread stopper([this] { stop.request_stop(); });
  EXPECT_FALSE(queue.Get(stop.get_token()).has_value());
}

}  // namespace
}  // namespace dra::queue
