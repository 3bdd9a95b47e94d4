// SPDX-License-Identifier: Apache-2.0
//
// The Prometheus text format 0.0.4, written as client_golang writes it: families by name, series by
// label values, and numbers in Go's shortest form. prometheus-cpp's own serializer prints a bucket
// of 1 MiB as le="1048576" where every Kubernetes component prints le="1.048576e+06"; Prometheus 2
// takes these for two different series, so a shared dashboard would miss ours.
#pragma once

#include <string>
#include <vector>

namespace prometheus {
struct MetricFamily;
}

namespace dra::metrics {

// Families without series are left out.
std::string FormatText(std::vector<prometheus::MetricFamily> families);

// As strconv.FormatFloat(value, 'g', -1, 64); "+Inf", "-Inf" and "NaN" for the rest.
std::string FormatNumber(double value);

}  // namespace dra::metrics
