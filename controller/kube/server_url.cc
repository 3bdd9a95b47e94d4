// SPDX-License-Identifier: Apache-2.0
#include "kube/server_url.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <arpa/inet.h>

#include "base/strings.h"

namespace dra::kube {
namespace {

constexpr std::size_t kMaxUrl = 2048;

bool IsIpv6(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

bool IsIpv4(const std::string& host) {
  std::array<unsigned char, 4> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1;
}

bool IsLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || (IsIpv4(host) && host.starts_with("127."));
}

Error Bad(std::string_view text, std::string_view why) {
  return Error(Code::kInvalid, "server URL \"" + Truncate(text, 200) + "\": " + std::string(why));
}

bool IsPort(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  int port = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    port = port * 10 + (c - '0');
  }
  return port > 0 && port < 65536;
}

// Characters that may stand in a path without any encoding of ours.
bool IsPlainPath(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("/-._~%:@!$&'()*+,;=").find(c) != std::string_view::npos;
  });
}

}  // namespace

bool IsIpAddress(const std::string& host) { return IsIpv4(host) || IsIpv6(host); }

Result<ServerUrl> ServerUrl::Parse(std::string_view text) {
  if (text.size() > kMaxUrl) return Bad(text, "too long");
  ServerUrl url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    url.tls = false;
  } else {
    return Bad(text, "must start with https://");
  }
  if (rest.find_first_of("@?#") != std::string_view::npos) {
    return Bad(text, "must have no user name, query or fragment");
  }
  const std::size_t slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  std::string_view path = slash == std::string_view::npos ? "" : rest.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!IsPlainPath(path)) return Bad(text, "the path has characters that need encoding");
  url.path = path;

  url.port = url.tls ? "443" : "80";
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    if (!IsPort(authority.substr(colon + 1))) return Bad(text, "the port is not one");
    url.port = authority.substr(colon + 1);
    authority = authority.substr(0, colon);
  }
  url.host = authority;
  std::transform(url.host.begin(), url.host.end(), url.host.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (url.host.starts_with('[') && url.host.ends_with(']')) {
    url.host = url.host.substr(1, url.host.size() - 2);
    if (!IsIpv6(url.host)) return Bad(text, "what stands in brackets is no IPv6 address");
  } else if (!IsIpv4(url.host) && !IsDnsSubdomain(url.host)) {
    return Bad(text, "the host is neither a name nor an address");
  }
  if (!url.tls && !IsLoopback(url.host)) {
    return Bad(text, "plain http is accepted for loopback addresses only");
  }
  return url;
}

bool ServerUrl::HasIpAddress() const { return IsIpAddress(host); }

std::string ServerUrl::Authority() const {
  const std::string name = IsIpv6(host) ? "[" + host + "]" : host;
  return port == (tls ? "443" : "80") ? name : name + ":" + port;
}

std::string ServerUrl::HostPort() const {
  return (IsIpv6(host) ? "[" + host + "]" : host) + ":" + port;
}

}  // namespace dra::kube
