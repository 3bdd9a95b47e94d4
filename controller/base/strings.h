// SPDX-License-Identifier: Apache-2.0
//
// The few string rules that more than one layer needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dra {

std::string Join(const std::vector<std::string>& parts, std::string_view separator);

// At most `max_bytes` of `text`, cut at a UTF-8 boundary, with "..." in place of what was cut.
std::string Truncate(std::string_view text, std::size_t max_bytes);

// Percent-encoding of one URL path segment or query value (RFC 3986, unreserved characters pass).
std::string UrlEncode(std::string_view text);

// RFC 1123 subdomain, as Kubernetes names objects: 1..253 of [a-z0-9.-], each label starting and
// ending with a letter or digit.
bool IsDnsSubdomain(std::string_view name);

// FNV-1a, 64 bit, with a final avalanche so that every output bit depends on every input byte.
// Stable across versions of the product: generated claim names are derived from it.
std::uint64_t StableHash(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace dra
