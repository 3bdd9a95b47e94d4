// SPDX-License-Identifier: Apache-2.0
#include "runtime/health.h"

#include "base/strings.h"

namespace dra::runtime {

void HealthChecks::AddLive(std::string name, Check check) {
  live_.push_back({std::move(name), std::move(check)});
}

void HealthChecks::AddReady(std::string name, Check check) {
  ready_.push_back({std::move(name), std::move(check)});
}

HealthChecks::Answer HealthChecks::Ask(Probe probe, bool verbose) const {
  Answer answer;
  std::string lines;
  for (const Named& named : Of(probe)) {
    const auto checked = named.check();
    answer.ok = answer.ok && checked.ok();
    lines += checked.ok() ? "[+]" + named.name + " ok\n"
                          : "[-]" + named.name + " failed: " + checked.error().message() + "\n";
  }
  const std::string name = probe == Probe::kLive ? "livez" : "readyz";
  lines += name + " check " + (answer.ok ? "passed" : "failed") + "\n";
  answer.text = answer.ok && !verbose ? "ok" : lines;
  return answer;
}

HealthChecks::Answer HealthChecks::AskOne(Probe probe, std::string_view name) const {
  std::vector<std::string> names;
  for (const Named& named : Of(probe)) {
    names.push_back(named.name);
    if (named.name != name) continue;
    const auto checked = named.check();
    return {checked.ok(),
            checked.ok() ? "ok" : named.name + " failed: " + checked.error().message() + "\n"};
  }
  return {false, "no such check; there are: " + Join(names, ", ") + "\n"};
}

}  // namespace dra::runtime
