// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dra::app {

// Of the product; CMake gives it (project version).
#ifdef DRA_VERSION
inline constexpr std::string_view kVersion = DRA_VERSION;
#else
inline constexpr std::string_view kVersion = "dev";
#endif

// The commit it was built from, where the build says so.
#ifdef DRA_COMMIT
inline constexpr std::string_view kCommit = DRA_COMMIT;
#else
inline constexpr std::string_view kCommit = "unknown";
#endif

}  // namespace dra::app
