// SPDX-License-Identifier: Apache-2.0
//
// The small records that the claim controller keeps, and the table from failures to outcomes.
#include <gtest/gtest.h>

#include "claims/blocked_pods.h"
#include "claims/census.h"
#include "claims/failure.h"
#include "claims/pod_arrivals.h"
#include "claims/reported_problems.h"
#include "support/fake_clock.h"
#include "support/objects.h"

namespace dra::claims {
namespace {

TEST(Failure, W9InvalidIsGivenUp) {
  EXPECT_TRUE(std::holds_alternative<runtime::GiveUp>(OutcomeOf(Error(Code::kInvalid, "x"))));
}

TEST(Failure, W10UnavailableIsRetriedWithABound) {
  const auto outcome = OutcomeOf(Error(Code::kUnavailable, "x"));
  ASSERT_TRUE(std::holds_alternative<runtime::Retry>(outcome));
  EXPECT_EQ(std::get<runtime::Retry>(outcome).longest, std::chrono::seconds(30));
}

TEST(Failure, W8GoneIsDone) {
  EXPECT_TRUE(std::holds_alternative<runtime::Done>(OutcomeOf(Error(Code::kNotFound, "x"))));
}

TEST(Failure, RetryOutranksTheOthers) {
  const runtime::Outcome gave_up = runtime::GiveUp{Error(Code::kInvalid, "a")};
  const runtime::Outcome retry = runtime::Retry{Error(Code::kTimeout, "b")};
  EXPECT_TRUE(std::holds_alternative<runtime::Retry>(Worse(gave_up, retry)));
  EXPECT_TRUE(std::holds_alternative<runtime::GiveUp>(Worse(gave_up, runtime::Done{})));
}

TEST(ReportedProblems, SameProblemIsToldAgainEverLater) {
  ReportedProblems reported;
  test::FakeClock clock;
  const Problem problem{kFailedCreation, "no template"};
  int told = 0;
  for (int minute = 0; minute < 60; ++minute) {
    told += reported.ShouldReport("uid", problem, clock.Now()) ? 1 : 0;
    clock.Advance(std::chrono::minutes(1));
  }
  EXPECT_EQ(told, 6);  // after 0, 1, 3, 7, 15 and 31 minutes
}

TEST(ReportedProblems, AnotherMessageIsToldAtOnce) {
  ReportedProblems reported;
  test::FakeClock clock;
  EXPECT_TRUE(reported.ShouldReport("uid", {kFailedCreation, "a"}, clock.Now()));
  EXPECT_FALSE(reported.ShouldReport("uid", {kFailedCreation, "a"}, clock.Now()));
  EXPECT_TRUE(reported.ShouldReport("uid", {kFailedCreation, "b"}, clock.Now()));
  EXPECT_TRUE(reported.ShouldReport("other", {kFailedCreation, "b"}, clock.Now()));
}

TEST(BlockedPods, TakesOnlyFromTheNamespaceAndAtMostTheCount) {
  BlockedPods blocked;
  blocked.Add({"a", "1"});
  blocked.Add({"a", "2"});
  blocked.Add({"b", "3"});
  EXPECT_EQ(blocked.Take("a", 1).size(), 1U);
  EXPECT_EQ(blocked.Take("a", 5).size(), 1U);
  EXPECT_TRUE(blocked.Take("a", 5).empty());
  blocked.Remove({"b", "3"});
  EXPECT_TRUE(blocked.Take("b", 5).empty());
}

TEST(PodArrivals, MeasuresEachPodOnceFromItsFirstSight) {
  PodArrivals arrivals;
  test::FakeClock clock;
  arrivals.Seen("u", clock.Now());
  clock.Advance(std::chrono::seconds(2));
  arrivals.Seen("u", clock.Now());
  EXPECT_EQ(arrivals.Served("u", clock.Now()), Clock::Duration(std::chrono::seconds(2)));
  EXPECT_EQ(arrivals.Served("u", clock.Now()), std::nullopt);
}

TEST(Census, FollowsChangesAndDropsZeroCounts) {
  Census census;
  const auto before = test::Share(test::ClaimFor(test::MakePod(), "gpu", "c"));
  api::ResourceClaim changed = *before;
  changed.allocated = true;
  const auto after = test::Share(changed);
  census.Changed(nullptr, before);
  census.Changed(before, after);
  const std::map<metrics::ClaimCategory, std::size_t> expected{
      {{true, false, "resource_claim_template"}, 1}};
  EXPECT_EQ(census.Counts(), expected);
  census.Changed(after, nullptr);
  EXPECT_TRUE(census.Counts().empty());
}

}  // namespace
}  // namespace dra::claims
