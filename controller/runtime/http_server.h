// SPDX-License-Identifier: Apache-2.0
//
// HttpServer: a small HTTP/1.1 server for metrics and health, made for few and simple requests: GET
// and HEAD, one request per connection, at most 16 connections, 8 KiB of head, 10 s. One connection
// more closes the one that has been silent for longest: idle clients cannot lock a probe out. Plain
// text on the wire: bind it to an address that only the right people reach.
//
// Life cycle: Start binds (errors name the address), Stop lets answers under way finish for half a
// second and then ends all connections. One thread of its own. Deadlines are asio's timers, the one
// place where time does not come from a Clock: asio can wait for nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dra::runtime {

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// `path` without query; `verbose`: the query has the key "verbose".
struct HttpQuestion {
  std::string path;
  bool verbose = false;
};

class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpQuestion&)>;

  // `handler` is called on the server's thread and must not block. What it throws becomes a 500.
  explicit HttpServer(Handler handler);
  ~HttpServer();

  // `address` is "host:port", "[v6]:port" or ":port" (all interfaces, IPv4 and IPv6); port 0 takes
  // a free one.
  Result<void> Start(std::string_view address);
  void Stop();

  // The port that is bound; 0 before Start.
  std::uint16_t port() const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace dra::runtime
