// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <gtest/gtest.h>

namespace dra {
namespace {

using std::chrono::microseconds;
using std::chrono::sys_days;
using std::chrono::year;

const Clock::Wall kMoment = sys_days(year(2026) / 12 / 1) + std::chrono::hours(5) +
                            std::chrono::minutes(38) + microseconds(9'000'042);

TEST(TimeTest, FormatsWholeSeconds) { EXPECT_EQ(FormatTime(kMoment), "2026-12-01T05:38:09Z"); }

TEST(TimeTest, FormatsExactlySixFractionDigits) {
  EXPECT_EQ(FormatMicroTime(kMoment), "2026-12-01T05:38:09.000042Z");
  EXPECT_EQ(FormatMicroTime(sys_days(year(2026) / 1 / 1)), "2026-01-01T00:00:00.000000Z");
}

TEST(TimeTest, FormatsTimesBeforeTheEpochDownwards) {
  const Clock::Wall before = Clock::Wall() - microseconds(1);
  EXPECT_EQ(FormatTime(before), "1969-12-31T23:59:59Z");
  EXPECT_EQ(FormatMicroTime(before), "1969-12-31T23:59:59.999999Z");
}

TEST(TimeTest, ParsesWhatItFormats) {
  EXPECT_EQ(ParseTime(FormatMicroTime(kMoment)), kMoment);
  EXPECT_EQ(ParseTime(FormatTime(kMoment)), std::chrono::floor<std::chrono::seconds>(kMoment));
}

TEST(TimeTest, ParsesAnyFractionAndCutsItToMicroseconds) {
  EXPECT_EQ(ParseTime("2026-12-01T05:38:09.000042999Z"), kMoment);
  EXPECT_EQ(ParseTime("1970-01-01T00:00:00.5Z"), Clock::Wall() + microseconds(500'000));
}

TEST(TimeTest, ParsesOffsets) {
  EXPECT_EQ(ParseTime("2026-12-01T14:38:09.000042+09:00"), kMoment);
  EXPECT_EQ(ParseTime("2026-11-30t23:08:09.000042-06:30"), kMoment);
  EXPECT_EQ(ParseTime("2026-12-01T05:38:09.000042z"), kMoment);
}

TEST(TimeTest, KnowsLeapYears) {
  EXPECT_TRUE(ParseTime("2028-02-29T00:00:00Z").has_value());
  EXPECT_FALSE(ParseTime("2026-02-29T00:00:00Z").has_value());
  EXPECT_FALSE(ParseTime("2100-02-29T00:00:00Z").has_value());
}

TEST(TimeTest, RefusesEverythingElse) {
  for (const char* text : {"",
                           "2026",
                           "2026-12-01",
                           "2026-12-01 05:38:09Z",
                           "2026-12-01T05:38:09",
                           "2026-12-01T05:38Z",
                           "2026-13-01T05:38:09Z",
                           "2026-12-32T05:38:09Z",
                           "2026-12-00T05:38:09Z",
                           "2026-12-01T24:00:00Z",
                           "2026-12-01T05:60:00Z",
                           "2026-12-01T05:38:61Z",
                           "2026-12-01T05:38:09.Z",
                           "2026-12-01T05:38:09.1234567890123Z",
                           "2026-12-01T05:38:09+0900",
                           "2026-12-01T05:38:09+24:00",
                           "2026-12-01T05:38:09+09:60",
                           "2026-12-01T05:38:09ZZ",
                           "-026-12-01T05:38:09Z",
                           "2026-1-01T05:38:09Z",
                           "2026-12-01T05:38:09,5Z",
                           " 2026-12-01T05:38:09Z"}) {
    EXPECT_FALSE(ParseTime(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace dra
