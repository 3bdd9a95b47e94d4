// SPDX-License-Identifier: Apache-2.0
#include "base/backoff.h"

#include <limits>

#include <gtest/gtest.h>

namespace dra {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(BackoffTest, GrowsByTheFactorUpToTheCap) {
  Backoff backoff({.first = milliseconds(5), .cap = milliseconds(30)});
  EXPECT_EQ(backoff.Next(), milliseconds(5));
  EXPECT_EQ(backoff.Next(), milliseconds(10));
  EXPECT_EQ(backoff.Next(), milliseconds(20));
  EXPECT_EQ(backoff.Next(), milliseconds(30));
  EXPECT_EQ(backoff.Next(), milliseconds(30));
  EXPECT_EQ(backoff.failures(), 5);
}

TEST(BackoffTest, StartsAgainAfterReset) {
  Backoff backoff({.first = milliseconds(5), .cap = seconds(1), .factor = 3});
  EXPECT_EQ(backoff.Next(), milliseconds(5));
  EXPECT_EQ(backoff.Next(), milliseconds(15));
  backoff.Reset();
  EXPECT_EQ(backoff.failures(), 0);
  EXPECT_EQ(backoff.Next(), milliseconds(5));
}

TEST(BackoffTest, DrawsFromTheJitterWithoutPassingTheCap) {
  Backoff backoff({.first = seconds(1), .cap = milliseconds(2500), .jitter = 0.5}, 7);
  bool differs = false;
  for (int round = 0; round < 200; ++round) {
    backoff.Reset();
    const nanoseconds first = backoff.Next();
    EXPECT_GE(first, seconds(1));
    EXPECT_LE(first, milliseconds(1500));
    differs |= first != seconds(1);
    const nanoseconds second = backoff.Next();
    EXPECT_GE(second, seconds(2));
    EXPECT_LE(second, milliseconds(2500));
  }
  EXPECT_TRUE(differs);
}

TEST(BackoffTest, SpreadsTwoUsersApart) {
  const Backoff::Options options{.first = seconds(1), .cap = seconds(60), .jitter = 1.0};
  Backoff one(options, 1);
  Backoff two(options, 2);
  EXPECT_NE(one.Next(), two.Next());
}

TEST(BackoffTest, StaysAtTheCapForAnyNumberOfFailures) {
  const Backoff::Options options{.first = milliseconds(5), .cap = seconds(1000)};
  EXPECT_EQ(BackoffDelay(options, 1), milliseconds(5));
  EXPECT_EQ(BackoffDelay(options, 0), milliseconds(5));
  EXPECT_EQ(BackoffDelay(options, 18), milliseconds(655'360));
  EXPECT_EQ(BackoffDelay(options, 19), seconds(1000));
  EXPECT_EQ(BackoffDelay(options, std::numeric_limits<int>::max()), seconds(1000));
}

}  // namespace
}  // namespace dra
