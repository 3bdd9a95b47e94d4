// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <memory>
#include <set>

#include <gtest/gtest.h>

namespace dra {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) return Error(Code::kInvalid, "odd");
  return number / 2;
}

Result<int> Quarter(int number) {
  DRA_TRY(const int half, Half(number));
  DRA_TRY(const int quarter, Half(half));
  return quarter;
}

Result<void> CheckEven(int number) {
  DRA_RETURN_IF_ERROR(Half(number));
  return {};
}

TEST(ErrorTest, KeepsItsCodeAndItsDataUnderContext) {
  Error error(Code::kThrottled, "slow down");
  error.http_status = 429;
  error.reason = "TooManyRequests";
  error.causes = {"a: b"};
  error.cause_reasons = {"R"};
  error.retry_after = std::chrono::seconds(3);
  error.maybe_applied = true;
  const Error wrapped = error.Context("create claim").Context("sync pod");
  EXPECT_EQ(wrapped.code(), Code::kThrottled);
  EXPECT_EQ(wrapped.message(), "sync pod: create claim: slow down");
  EXPECT_EQ(wrapped.Describe(), "Throttled: sync pod: create claim: slow down");
  EXPECT_EQ(wrapped.http_status, 429);
  EXPECT_EQ(wrapped.reason, "TooManyRequests");
  EXPECT_EQ(wrapped.causes, error.causes);
  EXPECT_EQ(wrapped.cause_reasons, error.cause_reasons);
  EXPECT_EQ(wrapped.retry_after, std::chrono::seconds(3));
  EXPECT_TRUE(wrapped.maybe_applied);
}

TEST(ErrorTest, HasANameForEachCode) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(Code::kInternal); ++code) {
    EXPECT_TRUE(names.insert(ToString(static_cast<Code>(code))).second) << code;
  }
}

TEST(ResultTest, HoldsAValueOrAnError) {
  const Result<int> value = Half(4);
  ASSERT_TRUE(value.ok());
  EXPECT_TRUE(static_cast<bool>(value));
  EXPECT_EQ(*value, 2);
  const Result<int> error = Half(3);
  ASSERT_FALSE(error.has_value());
  EXPECT_EQ(error.error().code(), Code::kInvalid);
}

TEST(ResultTest, TryReturnsTheFirstError) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_FALSE(Quarter(6).ok());
  EXPECT_EQ(Quarter(7).error().message(), "odd");
}

TEST(ResultTest, ReturnIfErrorPassesErrorsOn) {
  EXPECT_TRUE(CheckEven(2).ok());
  ASSERT_FALSE(CheckEven(3).ok());
  EXPECT_EQ(CheckEven(3).error().message(), "odd");
}

TEST(ResultTest, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> value = *std::move(result);
  EXPECT_EQ(*value, 5);
}

}  // namespace
}  // namespace dra
