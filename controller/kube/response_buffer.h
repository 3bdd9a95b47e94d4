// SPDX-License-Identifier: Apache-2.0
//
// ResponseBuffer: what has arrived of one answer and was not read yet. The I/O thread writes it,
// one caller reads it. When `window` bytes lie unread, the writer is told to stop, which lets TCP
// slow the server down; it is called back when half of them are gone. So a slow reader costs
// `window` bytes plus one piece, never more.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"

namespace dra::kube {

struct ResponseHead {
  int status = 0;
  std::optional<std::chrono::milliseconds> retry_after;
  std::string location;          // of a redirect
  std::string content_encoding;  // empty or "identity" unless the server ignores what we accept
};

class ResponseBuffer {
 public:
  ResponseBuffer(std::size_t window, Clock& clock) : window_(window), clock_(clock) {}

  // --- The I/O thread ---

  void SetHead(ResponseHead head);

  // Returns true if the next piece may come at once. Otherwise `resume` is called, once and from
  // any thread, when there is room or when nobody will read any more.
  bool Append(std::string_view piece, std::function<void()> resume);

  // The regular end, or the failure that ended it. Only the first of these calls counts.
  void End();
  void Fail(Error error);

  // --- The caller. Errors: kCancelled on stop, kTimeout at the deadline, or what Fail() said ---

  Result<ResponseHead> AwaitHead(Clock::Steady deadline, const std::stop_token& stop);

  // Waits for the end and returns the body. kMalformed beyond `max_bytes`.
  Result<std::string> ReadAll(std::size_t max_bytes, Clock::Steady deadline,
                              const std::stop_token& stop);

  // At most the first `max_bytes` of the body, or what came until it ended in whatever way.
  std::string ReadSome(std::size_t max_bytes, Clock::Steady deadline, const std::stop_token& stop);

  // Waits for bytes, but not longer than `idle_limit`; 0 at the end. The time for which the reader
  // was busy elsewhere does not count as silence. Bytes that arrived before a failure are handed
  // out first.
  Result<std::size_t> Read(char* out, std::size_t size, Clock::Duration idle_limit,
                           const std::stop_token& stop);

  // Nobody will read any more: what comes is dropped, and a waiting writer is let go.
  void Close();

  // For tests: bytes in memory now.
  std::size_t unread() const;

 private:
  bool ended() const REQUIRES(mutex_) { return complete_ || failure_.has_value(); }
  // Takes the writer's callback if there is room again; it must be called without the lock.
  std::function<void()> TakeResume() REQUIRES(mutex_);

  const std::size_t window_;
  Clock& clock_;

  mutable Mutex mutex_;
  CondVar changed_;
  std::optional<ResponseHead> head_ GUARDED_BY(mutex_);
  std::string bytes_ GUARDED_BY(mutex_);  // [begin_, size) is unread
  std::size_t begin_ GUARDED_BY(mutex_) = 0;
  bool complete_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
  std::optional<Error> failure_ GUARDED_BY(mutex_);
  std::function<void()> resume_ GUARDED_BY(mutex_);
};

}  // namespace dra::kube
