// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/health.h"

namespace dra::runtime {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<void> Fine() { return {}; }
Result<void> Broken() { return Error(Code::kUnavailable, "no list yet"); }

TEST(HealthChecks, WithoutChecksTheProcessIsHealthy) {
  const auto answer = HealthChecks().Ask(Probe::kLive, false);
  EXPECT_TRUE(answer.ok);
  EXPECT_EQ(answer.text, "ok");
}

TEST(HealthChecks, VerboseListsEachCheckAsKubeApiserverDoes) {
  HealthChecks health;
  health.AddReady("ping", Fine);
  health.AddReady("caches", Fine);
  EXPECT_EQ(health.Ask(Probe::kReady, true).text,
            "[+]ping ok\n[+]caches ok\nreadyz check passed\n");
}

TEST(HealthChecks, AFailureIsAlwaysListedWithItsReason) {
  HealthChecks health;
  health.AddReady("ping", Fine);
  health.AddReady("caches", Broken);
  const auto answer = health.Ask(Probe::kReady, false);
  EXPECT_FALSE(answer.ok);
  EXPECT_EQ(answer.text, "[+]ping ok\n[-]caches failed: no list yet\nreadyz check failed\n");
}

TEST(HealthChecks, AFailingReadinessCheckLeavesTheProcessAlive) {
  HealthChecks health;
  health.AddLive("ping", Fine);
  health.AddReady("caches", Broken);
  EXPECT_TRUE(health.Ask(Probe::kLive, false).ok);
}

TEST(HealthChecks, OneCheckIsAskedByName) {
  HealthChecks health;
  health.AddReady("ping", Fine);
  health.AddReady("caches", Broken);
  EXPECT_EQ(health.AskOne(Probe::kReady, "ping").text, "ok");
  const auto broken = health.AskOne(Probe::kReady, "caches");
  EXPECT_FALSE(broken.ok);
  EXPECT_EQ(broken.text, "caches failed: no list yet\n");
}

TEST(HealthChecks, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  HealthChecks health;
  health.AddLive("ping", Fine);
  const auto answer = health.AskOne(Probe::kLive, "pong");
  EXPECT_FALSE(answer.ok);
  EXPECT_THAT(answer.text, HasSubstr("ping"));
}

TEST(HealthChecks, ACheckThatThrowsHasFailed) {
  HealthChecks health;
  health.AddLive("bug", []() -> Result<void> { throw std::runtime_error("boom"); });
  health.AddLive("odd bug", []() -> Result<void> { throw 42; });
  const auto answer = health.Ask(Probe::kLive, false);
  EXPECT_THAT(answer.text, HasSubstr("[-]bug failed: unexpected exception: boom\n"));
  EXPECT_THAT(answer.text, HasSubstr("[-]odd bug failed: unexpected exception\n"));
}

TEST(HealthChecks, AReasonCannotForgeALineOrGrowWithoutEnd) {
  HealthChecks health;
  health.AddLive("x", []() -> Result<void> {
    return Error(Code::kInternal, "a\n[+]y ok\r\n" + std::string(10'000, 'z'));
  });
  const auto answer = health.Ask(Probe::kLive, false);
  EXPECT_THAT(answer.text, Not(HasSubstr("\n[+]y")));
  EXPECT_LT(answer.text.size(), 400U);
}

}  // namespace
}  // namespace dra::runtime
