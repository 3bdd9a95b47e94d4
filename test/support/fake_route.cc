// SPDX-License-Identifier: Apache-2.0
#include "support/fake_route.h"

#include <charconv>
#include <vector>

namespace dra::test {
namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    if (!text.substr(0, end).empty()) parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// `rest` is what follows the group and version.
void FillKind(std::string_view group, std::string_view version,
              const std::vector<std::string_view>& rest, FakeRoute& route) {
  std::size_t at = 0;
  if (rest.size() >= 3 && rest[0] == "namespaces") {
    const FakeKind* inner = FindKindByPlural(group, version, rest[2]);
    if (inner != nullptr && inner->namespaced) {
      route.key.ns = UrlDecode(rest[1]);
      at = 2;
    }
  }
  if (at >= rest.size()) return;
  route.kind = FindKindByPlural(group, version, rest[at]);
  if (at + 1 < rest.size()) route.key.name = UrlDecode(rest[at + 1]);
  if (at + 2 < rest.size()) route.subresource = rest[at + 2];
  const bool known_part = route.subresource.empty() || route.subresource == "status";
  if (at + 3 < rest.size() || !known_part) route.kind = nullptr;
}

}  // namespace

std::string UrlDecode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr ==
            text.data() + i + 3) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

FakeRoute FakeRoute::Parse(std::string_view target) {
  FakeRoute route;
  const auto question = target.find('?');
  const std::string_view path = target.substr(0, question);
  route.path = UrlDecode(path);
  if (question != std::string_view::npos) {
    for (const std::string_view pair : Split(target.substr(question + 1), '&')) {
      const auto equals = pair.find('=');
      route.query[UrlDecode(pair.substr(0, equals))] =
          equals == std::string_view::npos ? "" : UrlDecode(pair.substr(equals + 1));
    }
  }
  const auto parts = Split(path, '/');
  if (parts.size() >= 3 && parts[0] == "api") {
    FillKind("", parts[1], {parts.begin() + 2, parts.end()}, route);
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    FillKind(parts[1], parts[2], {parts.begin() + 3, parts.end()}, route);
  }
  return route;
}

std::string FakeRoute::Query(const std::string& name) const {
  const auto value = query.find(name);
  return value == query.end() ? "" : value->second;
}

bool FakeRoute::IsTrue(const std::string& name) const {
  const std::string value = Query(name);
  return value == "true" || value == "1";
}

}  // namespace dra::test
