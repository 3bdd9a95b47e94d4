// SPDX-License-Identifier: Apache-2.0
#include "runtime/failure_log.h"

#include "base/log.h"
#include "base/strings.h"

namespace dra::runtime {
namespace {

double ToSeconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

bool FailureLog::IsDoubling(int failures) {
  const auto bits = static_cast<unsigned>(failures);
  return failures > 0 && (bits & (bits - 1U)) == 0;
}

void FailureLog::Retrying(std::string_view item, const Error& error, int failures,
                          std::chrono::nanoseconds delay) {
  const bool loud = IsDoubling(failures);
  if (!loud && !log::V(4)) return;
  (loud ? log::Warning : log::Verbose)("reconciliation failed, will retry",
                                       {{"controller", controller_},
                                        {"item", item},
                                        {"failures", failures},
                                        {"delaySeconds", ToSeconds(delay)},
                                        {"err", error}});
}

void FailureLog::GaveUp(std::string_view item, const Error& error,
                        std::chrono::nanoseconds recheck) {
  const bool loud = ShouldWarnAgain(item, error);
  if (!loud && !log::V(4)) return;
  (loud ? log::Warning : log::Verbose)("gave up until something changes",
                                       {{"controller", controller_},
                                        {"item", item},
                                        {"recheckSeconds", ToSeconds(recheck)},
                                        {"err", error}});
}

bool FailureLog::ShouldWarnAgain(std::string_view item, const Error& error) {
  const std::uint64_t key = StableHash(error.Describe(), StableHash(item));
  const Clock::Steady now = clock_.Now();
  MutexLock lock(mutex_);
  const auto found = warned_.find(key);
  if (found != warned_.end() && now - found->second < kWarnAgainAfter) return false;
  if (found == warned_.end() && warned_.size() >= kMaxRemembered) ForgetOld(now);
  if (found == warned_.end() && warned_.size() >= kMaxRemembered) return false;
  warned_[key] = now;
  return true;
}

void FailureLog::ForgetOld(Clock::Steady now) {
  std::erase_if(warned_,
                [now](const auto& entry) { return now - entry.second >= kWarnAgainAfter; });
}

}  // namespace dra::runtime
