// SPDX-License-Identifier: Apache-2.0
#include "metrics/text_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <prometheus/metric_family.h>

namespace dra::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

std::string_view TypeName(MetricType type) {
  switch (type) {
    case MetricType::Counter:
      return "counter";
    case MetricType::Gauge:
      return "gauge";
    case MetricType::Summary:
      return "summary";
    case MetricType::Histogram:
      return "histogram";
    case MetricType::Untyped:
      break;
  }
  return "untyped";
}

void AppendEscaped(std::string& out, std::string_view text, bool quotes) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || (quotes && c == '"')) out += '\\';
    out += c;
  }
}

void AppendLabel(std::string& out, std::string_view name, std::string_view value) {
  out += out.back() == '{' ? "" : ",";
  out += name;
  out += "=\"";
  AppendEscaped(out, value, true);
  out += '"';
}

// "name_suffix{labels,extra="..."} value". `extra` is le or quantile; empty for none.
struct Sample {
  std::string_view suffix;
  std::string_view extra;
  double bound = 0;
  double value = 0;
};

void AppendSample(std::string& out, const MetricFamily& family, const ClientMetric& metric,
                  const Sample& sample) {
  out += family.name;
  out += sample.suffix;
  if (!metric.label.empty() || !sample.extra.empty()) {
    out += '{';
    for (const auto& label : metric.label) AppendLabel(out, label.name, label.value);
    if (!sample.extra.empty()) AppendLabel(out, sample.extra, FormatNumber(sample.bound));
    out += '}';
  }
  out += ' ';
  out += FormatNumber(sample.value);
  out += '\n';
}

void AppendHistogram(std::string& out, const MetricFamily& family, const ClientMetric& metric) {
  const auto& histogram = metric.histogram;
  const auto count = static_cast<double>(histogram.sample_count);
  bool infinity_seen = false;
  for (const auto& bucket : histogram.bucket) {
    infinity_seen = infinity_seen || std::isinf(bucket.upper_bound);
    AppendSample(
        out, family, metric,
        {"_bucket", "le", bucket.upper_bound, static_cast<double>(bucket.cumulative_count)});
  }
  if (!infinity_seen) AppendSample(out, family, metric, {"_bucket", "le", HUGE_VAL, count});
  AppendSample(out, family, metric, {"_sum", {}, 0, histogram.sample_sum});
  AppendSample(out, family, metric, {"_count", {}, 0, count});
}

void AppendMetric(std::string& out, const MetricFamily& family, const ClientMetric& metric) {
  switch (family.type) {
    case MetricType::Counter:
      return AppendSample(out, family, metric, {{}, {}, 0, metric.counter.value});
    case MetricType::Gauge:
      return AppendSample(out, family, metric, {{}, {}, 0, metric.gauge.value});
    case MetricType::Histogram:
      return AppendHistogram(out, family, metric);
    case MetricType::Untyped:
      return AppendSample(out, family, metric, {{}, {}, 0, metric.untyped.value});
    case MetricType::Summary:
      break;
  }
  for (const auto& quantile : metric.summary.quantile) {
    AppendSample(out, family, metric, {{}, "quantile", quantile.quantile, quantile.value});
  }
  AppendSample(out, family, metric, {"_sum", {}, 0, metric.summary.sample_sum});
  AppendSample(out, family, metric,
               {"_count", {}, 0, static_cast<double>(metric.summary.sample_count)});
}

bool LabelsBefore(const ClientMetric& left, const ClientMetric& right) {
  return std::lexicographical_compare(left.label.begin(), left.label.end(), right.label.begin(),
                                      right.label.end());
}

}  // namespace

std::string FormatNumber(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[64];
  auto end = std::to_chars(std::begin(text), std::end(text), value, std::chars_format::scientific);
  const std::string_view scientific(text, static_cast<std::size_t>(end.ptr - text));
  const auto mark = scientific.rfind('e');
  // The exponent has a sign and at least two digits, like Go's. Go's shortest 'g' keeps it below
  // 1e-4 and from 1e6 on.
  const int exponent = std::atoi(std::string(scientific.substr(mark + 1)).c_str());
  if (exponent < -4 || exponent >= 6) return std::string(scientific);
  end = std::to_chars(std::begin(text), std::end(text), value, std::chars_format::fixed);
  return {text, end.ptr};
}

std::string FormatText(std::vector<MetricFamily> families) {
  std::sort(
      families.begin(), families.end(),
      [](const MetricFamily& left, const MetricFamily& right) { return left.name < right.name; });
  std::string out;
  for (MetricFamily& family : families) {
    if (family.metric.empty()) continue;
    std::sort(family.metric.begin(), family.metric.end(), LabelsBefore);
    out += "# HELP " + family.name + ' ';
    AppendEscaped(out, family.help, false);
    out += "\n# TYPE " + family.name + ' ';
    out += TypeName(family.type);
    out += '\n';
    for (const ClientMetric& metric : family.metric) AppendMetric(out, family, metric);
  }
  return out;
}

}  // namespace dra::metrics
