// SPDX-License-Identifier: Apache-2.0
//
// The six invariants as pure functions of what was seen and written; InvariantWatch collects it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/invariant_watch.h"

namespace dra::test {

struct Violation {
  std::string what;
  std::string uid;  // of the object whose history explains it; may be empty
};

// Invariants 1 to 4. `history` in the order of versions; `armed`: did the product run then?
std::vector<Violation> JudgeHistory(const std::vector<SeenVersion>& history,
                                    const std::function<bool(std::uint64_t)>& armed);

// Invariants 5 and 6.
std::vector<Violation> JudgeWrites(const std::vector<SeenVersion>& history,
                                   const std::vector<RecordedWrite>& writes, int write_limit);

}  // namespace dra::test
