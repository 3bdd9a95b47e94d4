// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dra::kube {

// RFC 4648 with padding; line breaks are skipped. nullopt if it is anything else.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace dra::kube
