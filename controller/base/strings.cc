// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <cctype>

namespace dra {
namespace {

bool IsLowerAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

std::string Truncate(std::string_view text, std::size_t max_bytes) {
  constexpr std::string_view kEllipsis = "...";
  if (text.size() <= max_bytes) return std::string(text);
  if (max_bytes <= kEllipsis.size()) return std::string(kEllipsis.substr(0, max_bytes));
  std::size_t end = max_bytes - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;  // inside a code point
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

std::string UrlEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    }
  }
  return out;
}

bool IsDnsSubdomain(std::string_view name) {
  if (name.empty() || name.size() > 253) return false;
  bool label_start = true;
  char previous = '.';
  for (const char c : name) {
    if (c == '.') {
      if (!IsLowerAlphanumeric(previous)) return false;
      label_start = true;
    } else if (IsLowerAlphanumeric(c)) {
      label_start = false;
    } else if (c != '-' || label_start) {
      return false;
    }
    previous = c;
  }
  return IsLowerAlphanumeric(previous);
}

std::uint64_t StableHash(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t hash = 14695981039346656037ULL ^ (seed * 0x9E3779B97F4A7C15ULL);
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  hash ^= hash >> 33U;
  hash *= 0xFF51AFD7ED558CCDULL;
  hash ^= hash >> 33U;
  hash *= 0xC4CEB9FE1A85EC53ULL;
  hash ^= hash >> 33U;
  return hash;
}

}  // namespace dra
