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

}  // namespace dra::app
