// SPDX-License-Identifier: Apache-2.0
#include "claims/reported_problems.h"

#include <algorithm>

#include "base/strings.h"

namespace dra::claims {
namespace {

constexpr std::chrono::minutes kFirstPause{1};
constexpr std::chrono::hours kLongestPause{1};

}  // namespace

bool ReportedProblems::ShouldReport(std::string_view uid, const Problem& problem,
                                    Clock::Steady now) {
  const std::uint64_t key = StableHash(std::string(uid) + "\n" + std::string(problem.reason));
  const std::uint64_t message = StableHash(problem.message);
  MutexLock lock(mutex_);
  const auto found = told_.find(key);
  if (found == told_.end() || found->second.message != message) {
    if (told_.size() >= kMaxEntries) told_.clear();
    told_[key] = {message, now + kFirstPause, kFirstPause};
    return true;
  }
  Told& told = found->second;
  if (now < told.again) return false;
  told.pause = std::min<Clock::Duration>(told.pause * 2, kLongestPause);
  told.again = now + std::chrono::duration_cast<Clock::Steady::duration>(told.pause);
  return true;
}

}  // namespace dra::claims
