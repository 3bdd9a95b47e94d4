// SPDX-License-Identifier: Apache-2.0
#include "metrics/text_format.h"

#include <cmath>

#include <gtest/gtest.h>
#include <prometheus/metric_family.h>

namespace dra::metrics {
namespace {

// Expected values are what Go's strconv.FormatFloat(v, 'g', -1, 64) prints.
TEST(FormatNumber, PrintsWhatGoPrints) {
  EXPECT_EQ(FormatNumber(0), "0");
  EXPECT_EQ(FormatNumber(1), "1");
  EXPECT_EQ(FormatNumber(-2.5), "-2.5");
  EXPECT_EQ(FormatNumber(0.1), "0.1");
  EXPECT_EQ(FormatNumber(0.0001), "0.0001");
  EXPECT_EQ(FormatNumber(0.00001), "1e-05");
  EXPECT_EQ(FormatNumber(999999), "999999");
  EXPECT_EQ(FormatNumber(1000000), "1e+06");
  EXPECT_EQ(FormatNumber(1048576), "1.048576e+06");
  EXPECT_EQ(FormatNumber(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(FormatNumber(18446744073709551615.0), "1.8446744073709552e+19");
  EXPECT_EQ(FormatNumber(1e300), "1e+300");
}

TEST(FormatNumber, NamesWhatIsNotANumber) {
  EXPECT_EQ(FormatNumber(HUGE_VAL), "+Inf");
  EXPECT_EQ(FormatNumber(-HUGE_VAL), "-Inf");
  EXPECT_EQ(FormatNumber(std::nan("")), "NaN");
}

prometheus::MetricFamily OneCounter(const std::string& name, const std::string& label_value) {
  prometheus::MetricFamily family;
  family.name = name;
  family.help = "help";
  family.type = prometheus::MetricType::Counter;
  prometheus::ClientMetric metric;
  metric.label.push_back({"l", label_value});
  metric.counter.value = 7;
  family.metric.push_back(metric);
  return family;
}

TEST(FormatText, EscapesLabelValuesAndHelp) {
  auto family = OneCounter("m", "a\"b\\c\nd");
  family.help = "one \"two\"\nthree\\";
  EXPECT_EQ(FormatText({family}),
            "# HELP m one \"two\"\\nthree\\\\\n# TYPE m counter\nm{l=\"a\\\"b\\\\c\\nd\"} 7\n");
}

TEST(FormatText, OrdersFamiliesByNameAndSeriesByLabels) {
  auto later = OneCounter("b", "2");
  later.metric.push_back(OneCounter("b", "1").metric.front());
  EXPECT_EQ(FormatText({later, OneCounter("a", "x")}),
            "# HELP a help\n# TYPE a counter\na{l=\"x\"} 7\n"
            "# HELP b help\n# TYPE b counter\nb{l=\"1\"} 7\nb{l=\"2\"} 7\n");
}

TEST(FormatText, LeavesOutAFamilyWithoutSeries) {
  auto empty = OneCounter("a", "x");
  empty.metric.clear();
  EXPECT_EQ(FormatText({empty}), "");
}

}  // namespace
}  // namespace dra::metrics
