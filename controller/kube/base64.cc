// SPDX-License-Identifier: Apache-2.0
#include "kube/base64.h"

#include <cstdint>

namespace dra::kube {
namespace {

int Value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int digits = 0;   // of the current group of four
  int padding = 0;  // '=' of the last group
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      if (digits < 2 || ++padding + digits > 4) return std::nullopt;
      continue;
    }
    const int value = Value(c);
    if (value < 0 || padding > 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    if (++digits < 4) continue;
    for (const unsigned shift : {16U, 8U, 0U}) {
      out += static_cast<char>((bits >> shift) & 0xFFU);
    }
    bits = 0;
    digits = 0;
  }
  if (digits == 0) return padding == 0 ? std::optional(out) : std::nullopt;
  if (digits + padding != 4) return std::nullopt;
  bits <<= 6U * static_cast<unsigned>(padding);
  out += static_cast<char>((bits >> 16U) & 0xFFU);
  if (digits == 3) out += static_cast<char>((bits >> 8U) & 0xFFU);
  return out;
}

}  // namespace dra::kube
