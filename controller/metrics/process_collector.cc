// SPDX-License-Identifier: Apache-2.0
#include "metrics/process_collector.h"

#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include <dirent.h>
#include <unistd.h>

#include "metrics/families.h"

namespace dra::metrics {
namespace {

// Files in /proc have no size; these are far below this.
constexpr std::size_t kMaxFile = 1U << 20U;

std::string ReadSmallFile(const char* path) {
  std::ifstream file(path);
  std::string text(kMaxFile, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::optional<double> ParseDouble(std::string_view text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr == text.data()) return std::nullopt;
  return value;
}

// A view into `text`: the rest of the line that starts with `prefix`, without leading spaces.
std::optional<std::string_view> LineAfter(std::string_view text, std::string_view prefix) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(prefix)) continue;
    line.remove_prefix(prefix.size());
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
    return line;
  }
  return std::nullopt;
}

// Of a temporary the view would dangle.
std::optional<std::string_view> LineAfter(std::string&& text, std::string_view prefix) = delete;

std::optional<double> CountOpenFiles() {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc/self/fd"), closedir);
  if (!directory) return std::nullopt;
  double count = -1;  // the descriptor of this listing is not counted
  while (const dirent* entry = readdir(directory.get())) {
    if (entry->d_name[0] != '.') ++count;
  }
  return count;
}

struct ProcessGauges {
  explicit ProcessGauges(Registry& registry)
      : cpu(CounterFamily(registry, "process_cpu_seconds_total",
                          "Total user and system CPU time spent in seconds.")
                .Add({})),
        open_fds(Add(registry, "process_open_fds", "Number of open file descriptors.")),
        max_fds(Add(registry, "process_max_fds", "Maximum number of open file descriptors.")),
        virtual_bytes(
            Add(registry, "process_virtual_memory_bytes", "Virtual memory size in bytes.")),
        virtual_max(Add(registry, "process_virtual_memory_max_bytes",
                        "Maximum amount of virtual memory available in bytes.")),
        resident(Add(registry, "process_resident_memory_bytes", "Resident memory size in bytes.")),
        start_time(Add(registry, "process_start_time_seconds",
                       "Start time of the process since unix epoch in seconds.")) {}

  static Gauge& Add(Registry& registry, const char* name, const char* help) {
    return GaugeFamily(registry, name, help).Add({});
  }

  void Refresh() {
    if (const auto stat = ParseProcessStat(ReadSmallFile("/proc/self/stat"))) {
      cpu.Increment(std::max(0.0, stat->cpu_seconds - cpu.Value()));
      virtual_bytes.Set(stat->virtual_bytes);
      resident.Set(stat->resident_bytes);
      // Of the machine: the boot time moves with its clock, so it is read each time.
      const std::string machine = ReadSmallFile("/proc/stat");  // outlives the view into it
      const auto boot = LineAfter(machine, "btime ");
      if (const auto seconds = boot ? ParseDouble(*boot) : std::nullopt) {
        start_time.Set(*seconds + stat->started_after_boot);
      }
    }
    const std::string limits = ReadSmallFile("/proc/self/limits");
    if (const auto files = ParseProcessLimit(limits, "Max open files")) max_fds.Set(*files);
    if (const auto space = ParseProcessLimit(limits, "Max address space")) virtual_max.Set(*space);
    if (const auto files = CountOpenFiles()) open_fds.Set(*files);
  }

  Counter& cpu;
  Gauge& open_fds;
  Gauge& max_fds;
  Gauge& virtual_bytes;
  Gauge& virtual_max;
  Gauge& resident;
  Gauge& start_time;
};

}  // namespace

std::optional<ProcessStat> ParseProcessStat(std::string_view text) {
  // "pid (name) state ...": the name ends at the last parenthesis. Fields are numbered from 3
  // (state) there, see proc(5).
  const auto name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::istringstream fields{std::string(text.substr(name_end + 1))};
  std::array<double, 25> values{};  // by proc(5)'s number
  std::string state;
  fields >> state;
  for (std::size_t number = 4; number < values.size(); ++number) {
    if (!(fields >> values[number])) return std::nullopt;
  }
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  return ProcessStat{.cpu_seconds = (values[14] + values[15]) / ticks,
                     .virtual_bytes = values[23],
                     .resident_bytes = values[24] * page,
                     .started_after_boot = values[22] / ticks};
}

std::optional<double> ParseProcessLimit(std::string_view text, std::string_view name) {
  const auto line = LineAfter(text, name);
  if (!line) return std::nullopt;
  if (line->starts_with("unlimited")) {
    return static_cast<double>(std::numeric_limits<std::uint64_t>::max());
  }
  return ParseDouble(*line);
}

void ExportProcess(Registry& registry) {
  registry.OnSerialize([gauges = std::make_shared<ProcessGauges>(registry)] { gauges->Refresh(); });
}

}  // namespace dra::metrics
