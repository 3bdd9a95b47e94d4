// SPDX-License-Identifier: Apache-2.0
#include "runtime/health.h"

#include <algorithm>
#include <exception>

#include "base/strings.h"

namespace dra::runtime {
namespace {

constexpr std::size_t kMaxReason = 256;

Result<void> Run(const HealthChecks::Check& check) {
  try {
    return check();
  } catch (const std::exception& exception) {
    return Error(Code::kInternal, std::string("unexpected exception: ") + exception.what());
  } catch (...) {
    return Error(Code::kInternal, "unexpected exception");
  }
}

// A line break in a server's message must not forge the line of another check.
std::string Reason(const Error& error) {
  std::string reason = Truncate(error.message(), kMaxReason);
  std::replace_if(
      reason.begin(), reason.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return reason;
}

}  // namespace

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
    const auto checked = Run(named.check);
    answer.ok = answer.ok && checked.ok();
    lines += checked.ok() ? "[+]" + named.name + " ok\n"
                          : "[-]" + named.name + " failed: " + Reason(checked.error()) + "\n";
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
    const auto checked = Run(named.check);
    return {checked.ok(),
            checked.ok() ? "ok" : named.name + " failed: " + Reason(checked.error()) + "\n"};
  }
  return {false, "no such check; there are: " + Join(names, ", ") + "\n"};
}

}  // namespace dra::runtime
