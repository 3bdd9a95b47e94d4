// SPDX-License-Identifier: Apache-2.0
//
// Error: a classified failure. Its code is the alphabet in which retry policy is written, so the
// set is closed and the code never changes once the error exists; context is only ever prepended to
// the message. What the server said beside the code (HTTP status, reason, Retry-After) rides along
// as data.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dra {

// One line of what to do follows each code; `runtime::Controller` is the only place that acts on
// it.
enum class Code {
  kCancelled,      // we were asked to stop; not a failure of anything
  kTimeout,        // our own deadline passed; a write may have been applied
  kUnavailable,    // no connection, or the server cannot serve now (5xx)
  kThrottled,      // 429: come back after retry_after
  kUnauthorized,   // 401: identity unknown; credentials may be about to rotate
  kForbidden,      // 403, or 422 with a Forbidden cause (granular status authorization, 1.36+)
  kNotFound,       // 404
  kAlreadyExists,  // 409 on create
  kConflict,       // 409: a precondition (uid, resourceVersion) did not hold; read again
  kExpired,        // 410: the resourceVersion is gone; list again
  kInvalid,        // 400 or 422: the same request will fail the same way
  kUnsupported,    // the object uses an API that we do not know
  kMalformed,      // bytes that are not what they should be
  kInternal,       // our own fault, or a server answer outside the protocol
};

std::string_view ToString(Code code);

class [[nodiscard]] Error {
 public:
  Error(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  Code code() const { return code_; }
  const std::string& message() const { return message_; }

  // "what: message". The code stays: a permanent failure cannot become a transient one by wrapping.
  Error Context(std::string_view what) const;

  // "NotFound: message", for logs.
  std::string Describe() const;

  // What the server answered; 0 and empty when it did not answer.
  int http_status = 0;
  std::string reason;
  std::vector<std::string> causes;         // "field: message" of each Status cause, at most 16
  std::vector<std::string> cause_reasons;  // machine-readable, parallel to causes; "" if not given

  // How long the server asked us to stay away.
  std::optional<std::chrono::milliseconds> retry_after;

  // A mutating request failed after its bytes may have left: the caller must read before it writes
  // again.
  bool maybe_applied = false;

 private:
  Code code_;
  std::string message_;
};

}  // namespace dra
