// SPDX-License-Identifier: Apache-2.0
#include "runtime/failure_log.h"

#include <gtest/gtest.h>

#include "support/fake_clock.h"

namespace dra::runtime {
namespace {

TEST(FailureLog, OnlyTheFirstFailureAndEachDoublingAreLoud) {
  std::vector<int> loud;
  for (int failures = 0; failures <= 100; ++failures) {
    if (FailureLog::IsDoubling(failures)) loud.push_back(failures);
  }
  EXPECT_EQ(loud, (std::vector<int>{1, 2, 4, 8, 16, 32, 64}));
}

TEST(FailureLog, AnItemThatIsGivenUpAgainAndAgainWarnsOnceAnHour) {
  test::FakeClock clock;
  FailureLog failure_log("c", clock);
  const Error error(Code::kInvalid, "bad spec");
  EXPECT_TRUE(failure_log.ShouldWarnAgain("pod a/b", error));
  for (int i = 0; i < 5; ++i) {
    clock.Advance(std::chrono::minutes(10));
    EXPECT_FALSE(failure_log.ShouldWarnAgain("pod a/b", error));
  }
  clock.Advance(std::chrono::minutes(10));
  EXPECT_TRUE(failure_log.ShouldWarnAgain("pod a/b", error));
}

TEST(FailureLog, AnotherErrorOfTheSameItemIsNews) {
  test::FakeClock clock;
  FailureLog failure_log("c", clock);
  EXPECT_TRUE(failure_log.ShouldWarnAgain("pod a/b", Error(Code::kInvalid, "bad spec")));
  EXPECT_TRUE(failure_log.ShouldWarnAgain("pod a/b", Error(Code::kInvalid, "worse spec")));
  EXPECT_TRUE(failure_log.ShouldWarnAgain("pod a/c", Error(Code::kInvalid, "bad spec")));
}

TEST(FailureLog, MemoryOfWarningsIsBoundedAndFreedByTime) {
  test::FakeClock clock;
  FailureLog failure_log("c", clock);
  const Error error(Code::kInvalid, "bad spec");
  std::size_t warned = 0;
  for (std::size_t i = 0; i < 2 * FailureLog::kMaxRemembered; ++i) {
    if (failure_log.ShouldWarnAgain(std::to_string(i), error)) ++warned;
  }
  EXPECT_EQ(warned, FailureLog::kMaxRemembered);
  clock.Advance(FailureLog::kWarnAgainAfter);
  EXPECT_TRUE(failure_log.ShouldWarnAgain("new", error));
}

}  // namespace
}  // namespace dra::runtime
