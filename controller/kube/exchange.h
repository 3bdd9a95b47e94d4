// SPDX-License-Identifier: Apache-2.0
//
// Exchange: one request on its way and what comes back, shared by the caller and the I/O thread.
// The caller may leave at any time; the I/O thread then finishes alone. It knows nothing of the
// HTTP library.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "kube/credentials.h"
#include "kube/response_buffer.h"
#include "kube/tls.h"
#include "kube/transport.h"

namespace dra::kube {

class Exchange final : public TlsObserver {
 public:
  struct Limits {
    std::size_t window;  // unread bytes before the server is slowed down
    std::size_t piece;   // bytes that the HTTP library may hold at once
  };

  Exchange(const Request& request_in, Identity identity_in, const Limits& limits, Clock& clock)
      : request(request_in),
        identity(std::move(identity_in)),
        buffer(limits.window, clock),
        max_piece_(limits.piece) {}

  // Exactly one of the next two wins the race between a caller that leaves and bytes that leave.

  // The caller leaves. True if the server may act on the request, or has.
  bool Leave();

  // The I/O thread is about to write what the server could act on; false: it must not, the caller
  // has left.
  [[nodiscard]] bool MayWrite();

  bool abandoned() const { return fate_ == Fate::kAbandoned; }

  const Request request;
  const Identity identity;
  ResponseBuffer buffer;

  // --- I/O thread only ---

  // Limits what the HTTP library collects before it hands it on, which nothing else does: a head,
  // the length line of a chunk, a whole chunk.
  void OnRecord(std::size_t bytes) override;
  void OnRefusedCertificate(const std::string& why) override { refused_ = why; }
  void OnHead(ResponseHead head);
  // The library hands on `size` bytes. False: that cannot be. It takes a negative chunk length from
  // the server for a huge one, with nothing behind it.
  [[nodiscard]] bool OnPiece(std::size_t size);

  // The error for a failure that the library describes as `what`.
  Error Explain(const std::string& peer, const std::string& what) const;

  std::function<void()> cancel;  // ends the request soon, from a task of its own
  bool cancelled = false;
  bool stream = false;  // has its connection for itself
  bool head_seen() const { return head_seen_; }

 private:
  enum class Fate { kHeld, kSent, kAbandoned };

  std::atomic<Fate> fate_{Fate::kHeld};

  // I/O thread only:
  const std::size_t max_piece_;
  std::size_t held_ = 0;  // bytes received since the library last handed some on
  bool head_seen_ = false;
  bool too_long_ = false;
  std::string refused_;
};

// Refuses what no API server answers: redirects, odd status codes, encoded bodies.
Result<void> CheckHead(const ResponseHead& head);

// The Retry-After header, at most an hour. Seconds only: the API server sends no dates.
std::optional<std::chrono::milliseconds> ParseRetryAfter(const std::string& text);

}  // namespace dra::kube
