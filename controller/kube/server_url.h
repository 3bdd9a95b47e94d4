// SPDX-License-Identifier: Apache-2.0
//
// ServerUrl: the address of an API server, taken apart once at start so that nothing later has to
// guess about brackets, default ports or path prefixes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace dra::kube {

struct ServerUrl {
  bool tls = true;
  std::string host;  // lower case; an IPv6 address has no brackets here
  std::string port;  // always set
  std::string path;  // "" or "/k8s/clusters/c-1": put before every request's path

  // Plain http is accepted for loopback addresses only: everywhere else the token would travel in
  // the open. User names, queries and fragments are refused.
  static Result<ServerUrl> Parse(std::string_view text);

  bool HasIpAddress() const;

  // "host:port" with brackets where needed and without a default port: the Host header.
  std::string Authority() const;

  // "host:port" always with the port: what metrics and messages call the server.
  std::string HostPort() const;
};

// True for a literal IPv4 or IPv6 address (no brackets).
bool IsIpAddress(const std::string& host);

}  // namespace dra::kube
