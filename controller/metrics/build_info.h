// SPDX-License-Identifier: Apache-2.0
//
// dra_build_info{version,commit,compiler} = 1: which program runs, for joins in queries.
#pragma once

#include <string>
#include <string_view>

namespace dra::metrics {

class Registry;

struct BuildInfo {
  std::string version;
  std::string commit;
  std::string compiler;
};

// "gcc 12.2.0" or "clang 14.0.6": what compiled this program.
std::string_view CompilerName();

// Once per registry.
void ExportBuildInfo(Registry& registry, const BuildInfo& build);

}  // namespace dra::metrics
