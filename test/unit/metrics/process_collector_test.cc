// SPDX-License-Identifier: Apache-2.0
#include "metrics/process_collector.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "metrics/registry.h"

namespace dra::metrics {
namespace {

double ValueOf(const std::string& text, const std::string& name) {
  const auto at = text.find("\n" + name + " ");
  if (at == std::string::npos) return -1;
  return std::stod(text.substr(at + name.size() + 2));
}

TEST(ProcessStat, ANameWithParenthesesAndSpacesDoesNotShiftTheFields) {
  const auto stat = ParseProcessStat(
      "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 13 14 15 16 17 18 1000 4096 2 20 21");
  ASSERT_TRUE(stat.has_value());
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(stat->cpu_seconds, 300 / ticks);
  EXPECT_DOUBLE_EQ(stat->virtual_bytes, 4096);
  EXPECT_DOUBLE_EQ(stat->resident_bytes, 2 * static_cast<double>(sysconf(_SC_PAGESIZE)));
  EXPECT_DOUBLE_EQ(stat->started_after_boot, 1000 / ticks);
}

TEST(ProcessStat, AnUnreadableFileHasNoNumbers) {
  EXPECT_FALSE(ParseProcessStat("").has_value());
  EXPECT_FALSE(ParseProcessStat("1 (x) S 1 2 3").has_value());
  EXPECT_FALSE(ParseProcessStat("1 (x) S one two three four five").has_value());
}

TEST(ProcessLimit, TheSoftLimitIsTaken) {
  const std::string limits =
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max open files            1024                 4096                 files     \n"
      "Max address space         unlimited            unlimited            bytes     \n";
  EXPECT_EQ(ParseProcessLimit(limits, "Max open files"), 1024);
  EXPECT_EQ(ParseProcessLimit(limits, "Max address space"), 18446744073709551615.0);
  EXPECT_EQ(ParseProcessLimit(limits, "Max msgqueue size"), std::nullopt);
  EXPECT_EQ(ParseProcessLimit("Max open files", "Max open files"), std::nullopt);
}

TEST(ProcessCollector, ShowsThisProcess) {
  Registry registry;
  ExportProcess(registry);
  const std::string text = registry.Serialize();
  EXPECT_GT(ValueOf(text, "process_resident_memory_bytes"), 1 << 20);
  EXPECT_GT(ValueOf(text, "process_virtual_memory_bytes"), 1 << 20);
  EXPECT_GT(ValueOf(text, "process_open_fds"), 0);
  EXPECT_GT(ValueOf(text, "process_max_fds"), ValueOf(text, "process_open_fds"));
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
  EXPECT_NEAR(ValueOf(text, "process_start_time_seconds"), now.count(), 3600);
}

// The boot time was once read through a view into a freed buffer. The buffer is large enough to be
// unmapped when it is freed, so the scrape could end the process; where it was not, the value was
// whatever lay there.
TEST(ProcessCollector, BootTimeIsReadFromLivingMemoryAtEveryScrape) {
  Registry registry;
  ExportProcess(registry);
  const double first = ValueOf(registry.Serialize(), "process_start_time_seconds");
  for (int scrape = 0; scrape < 50; ++scrape) {
    const std::string overwrite(1U << 20U, '9');  // takes the freed memory, if there is any
    ASSERT_NEAR(ValueOf(registry.Serialize(), "process_start_time_seconds"), first, 2)
        << overwrite.size();
  }
}

TEST(ProcessCollector, CpuTimeNeverFalls) {
  Registry registry;
  ExportProcess(registry);
  const double before = ValueOf(registry.Serialize(), "process_cpu_seconds_total");
  EXPECT_GE(before, 0);
  EXPECT_GE(ValueOf(registry.Serialize(), "process_cpu_seconds_total"), before);
}

}  // namespace
}  // namespace dra::metrics
