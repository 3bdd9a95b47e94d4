// SPDX-License-Identifier: Apache-2.0
//
// Transport: moves one request or one stream over the wire, and nothing else. It knows no
// resources, no JSON and no retry policy. Everything above is tested against a scripted or
// in-memory implementation.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace dra::kube {

enum class Method { kGet, kPost, kPatch, kDelete };

std::string_view ToString(Method method);

struct Request {
  Method method = Method::kGet;
  std::string target;          // path and query, already encoded; starts with '/'
  std::string content_type{};  // empty: no body
  std::string body{};
  std::string accept = "application/json";
  // From the call to the whole answer; for streams, to the answer's head.
  std::chrono::milliseconds deadline{30'000};
  // Streams only: the longest silence that is not taken as a dead connection.
  std::chrono::milliseconds idle_limit{130'000};
};

struct Response {
  int status = 0;
  std::string body{};
  std::optional<std::chrono::milliseconds> retry_after;  // the Retry-After header
};

// The body of a streaming answer. One reader thread; Close() may come from any thread. Destruction
// closes. The implementation holds at most a few MiB unread and then lets TCP slow the server down.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Blocks until bytes are there; returns how many were copied into `buffer`, 0 at the regular end.
  // Errors: kCancelled on stop, kTimeout after the idle limit, kUnavailable when the connection
  // broke.
  virtual Result<std::size_t> Read(char* buffer, std::size_t size, const std::stop_token& stop) = 0;
};

struct StreamResponse {
  int status = 0;
  std::unique_ptr<ByteStream> stream;  // set when the status is 200
  std::string body;                    // any other status: what the server said, at most 64 KiB
  std::optional<std::chrono::milliseconds> retry_after;
};

// Thread-safe. Errors: kCancelled, kTimeout, kUnavailable, kMalformed (an answer beyond the limits,
// or a redirect). `maybe_applied` is set on errors of requests other than GET once bytes may have
// left. An HTTP status, even 500, is an answer and not an error. A transport never sends a request
// twice.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual Result<Response> Send(const Request& request, const std::stop_token& stop) = 0;
  virtual Result<StreamResponse> Open(const Request& request, const std::stop_token& stop) = 0;
};

}  // namespace dra::kube
