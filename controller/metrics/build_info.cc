// SPDX-License-Identifier: Apache-2.0
#include "metrics/build_info.h"

#include "metrics/families.h"

namespace dra::metrics {

std::string_view CompilerName() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

void ExportBuildInfo(Registry& registry, const BuildInfo& build) {
  GaugeFamily(registry, "dra_build_info", "Constant 1, with the build of this program as labels.")
      .Add({{"version", build.version}, {"commit", build.commit}, {"compiler", build.compiler}})
      .Set(1);
}

}  // namespace dra::metrics
