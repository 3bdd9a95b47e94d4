// SPDX-License-Identifier: Apache-2.0
//
// FailureLog: one line for each failed reconciliation, loud enough to be seen and rare enough not
// to flood: of one item's failures in a row the 1st, 2nd, 4th, 8th... are warnings, the rest is
// -v=4. Items that were given up are warned about again when the error changes, or after a while.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/error.h"
#include "base/mutex.h"

namespace dra::runtime {

class FailureLog {
 public:
  FailureLog(std::string controller, const Clock& clock)
      : controller_(std::move(controller)), clock_(clock) {}

  void Retrying(std::string_view item, const Error& error, int failures,
                std::chrono::nanoseconds delay);
  void GaveUp(std::string_view item, const Error& error, std::chrono::nanoseconds recheck);

  // True for 1, 2, 4, 8...
  static bool IsDoubling(int failures);
  // True if the last warning about this item and this error is long ago; then this one counts as
  // given. Remembers at most kMaxRemembered items, and is silent about more.
  bool ShouldWarnAgain(std::string_view item, const Error& error);

  static constexpr std::size_t kMaxRemembered = 1024;
  static constexpr std::chrono::hours kWarnAgainAfter{1};

 private:
  void ForgetOld(Clock::Steady now) REQUIRES(mutex_);

  const std::string controller_;
  const Clock& clock_;

  Mutex mutex_;
  // By the hash of item, code and message: when the last warning was written.
  std::unordered_map<std::uint64_t, Clock::Steady> warned_ GUARDED_BY(mutex_);
};

}  // namespace dra::runtime
