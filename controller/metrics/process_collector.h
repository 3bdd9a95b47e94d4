// SPDX-License-Identifier: Apache-2.0
//
// process_*: CPU, memory and file descriptors of this process, from /proc, under client_golang's
// names. Read at each scrape. What cannot be read keeps its last value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dra::metrics {

class Registry;

// The fields of /proc/<pid>/stat that are shown.
struct ProcessStat {
  double cpu_seconds = 0;  // user and system
  double virtual_bytes = 0;
  double resident_bytes = 0;
  double started_after_boot = 0;  // seconds
};

// nullopt if `text` is not such a file. The process name in it may hold spaces and parentheses.
std::optional<ProcessStat> ParseProcessStat(std::string_view text);

// The soft limit in the line of /proc/<pid>/limits that starts with `name`; "unlimited" is the
// largest 64-bit number, as in client_golang.
std::optional<double> ParseProcessLimit(std::string_view text, std::string_view name);

// Once per registry.
void ExportProcess(Registry& registry);

}  // namespace dra::metrics
