// SPDX-License-Identifier: Apache-2.0
//
// ReportedProblems: keeps a problem that lasts from becoming an Event per look at it. The same
// problem of one object is told again only after a minute, then after two, four, ... up to an hour.
// Thread-safe, bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "claims/problem.h"

namespace dra::claims {

class ReportedProblems {
 public:
  // True if `problem` of the object with this UID is to be told now; it then counts as told.
  bool ShouldReport(std::string_view uid, const Problem& problem, Clock::Steady now);

 private:
  // 64 bytes each: 10,000 stuck pods cost 1 MiB. Beyond that the record starts anew, which costs
  // repeats.
  static constexpr std::size_t kMaxEntries = 16'384;

  struct Told {
    std::uint64_t message;  // its hash
    Clock::Steady again;    // not before
    Clock::Duration pause;
  };

  Mutex mutex_;
  std::unordered_map<std::uint64_t, Told> told_ GUARDED_BY(mutex_);  // by hash of UID and reason
};

}  // namespace dra::claims
