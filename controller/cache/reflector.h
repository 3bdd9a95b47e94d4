// SPDX-License-Identifier: Apache-2.0
//
// Reflector: keeps a sink in step with one resource of the API server. The list-watch protocol is
// the state machine below; Run drives it until it is told to stop.
//
//   kStart ──► kStreaming ──────────────► kWatching ◄──┐
//     │  (or refused: ▼)   end marker        │         │ opened
//     └──────► kListing ──────► kResuming ───┼─────────┘
//                   last page        ▲       │ regular end, broken stream
//                                    └───────┘
//   Expired, malformed or too-large versions go back to kStart. Every failure waits first, with
//   exponential back-off; so does a watch that ends within a second, so that no answer of the
//   server makes a hot loop.
//
// The bytes are decoded by the sink, so this class is no template. One thread calls Run.
#pragma once

#include <atomic>
#include <optional>
#include <random>
#include <stop_token>
#include <string>

#include "api/decoder.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/result.h"
#include "kube/client.h"
#include "metrics/watch_probe.h"

namespace dra::cache {

// What the reflector feeds. Called by the thread in Run only.
class ReflectorSink {
 public:
  virtual ~ReflectorSink() = default;

  // From here to EndReplace, Page and Line deliver the complete content; what is not among it is
  // gone. A second BeginReplace without an end starts over.
  virtual void BeginReplace() = 0;
  virtual void EndReplace(const api::ResourceVersion& version) = 0;

  struct PageInfo {
    api::ResourceVersion version;
    std::string continue_token;
  };
  virtual Result<PageInfo> Page(std::string_view json) = 0;

  // One line of a watch, applied. Bookmarks and errors are only decoded: the reflector acts on
  // them. `resource_version` is set for every type but kError.
  virtual Result<api::WatchFrame> Line(std::string_view line) = 0;

  virtual void Bookmark(const api::ResourceVersion& version) = 0;
};

class Reflector {
 public:
  struct Options {
    kube::Resource resource;
    std::string ns;  // empty: all namespaces
  };

  Reflector(kube::Client& client, Clock& clock, metrics::WatchProbe& probe, ReflectorSink& sink,
            Options options);

  void Run(const std::stop_token& stop);

  // When the server last told us anything; for health checks, from any thread.
  Clock::Steady LastActivity() const;

 private:
  enum class State { kStart, kStreaming, kListing, kResuming, kWatching };

  State Step(State state, const std::stop_token& stop);
  State OpenStream(const std::stop_token& stop);
  State ListPages(const std::stop_token& stop);
  State ResumeWatch(const std::stop_token& stop);
  State ReadWatch(const std::stop_token& stop);
  State ReadLine(std::string_view line, const std::stop_token& stop);
  State WatchEnded(const std::stop_token& stop);
  State Failed(const Error& error, const std::stop_token& stop);
  void Wait(const std::optional<Error>& error, const std::stop_token& stop);
  void Account(const Error& error);
  std::chrono::seconds WatchTimeout();
  void Touch();

  kube::Client& client_;
  Clock& clock_;
  metrics::WatchProbe& probe_;
  ReflectorSink& sink_;
  const Options options_;

  // Used by Run's thread only.
  std::optional<kube::LineStream> stream_;  // set in kWatching
  // Where a watch may go on; empty: only a complete list will do.
  api::ResourceVersion version_;
  bool streaming_initial_ = false;  // the open stream still delivers the initial list
  bool streaming_refused_ = false;  // the server knows no sendInitialEvents; remembered
  Clock::Steady opened_{};          // the current watch
  bool failing_ = false;            // the last thing told to the log was a failure
  Backoff backoff_;
  std::mt19937_64 random_;

  std::atomic<std::int64_t> last_activity_;
};

}  // namespace dra::cache
