// SPDX-License-Identifier: Apache-2.0
//
// The two time formats of the Kubernetes API (std::chrono cannot parse in gcc 12).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace dra {

// metav1.Time: "2026-12-01T05:38:00Z", whole seconds.
std::string FormatTime(Clock::Wall time);

// metav1.MicroTime: exactly six fraction digits; the server refuses any other count.
std::string FormatMicroTime(Clock::Wall time);

// RFC 3339 with any fraction and offset; nullopt if it is not that.
std::optional<Clock::Wall> ParseTime(std::string_view text);

}  // namespace dra
