// SPDX-License-Identifier: Apache-2.0
#include "cache/reflector.h"

#include <algorithm>

#include "api/status.h"
#include "base/log.h"

namespace dra::cache {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// client-go's bounds: 0.8 s for the first failure, 0.03 lists per second and replica at a sick
// server.
constexpr Backoff::Options kBackoff{milliseconds(800), seconds(30), 2.0, 1.0};

// A watch that lived this long was a working one: failures before it are history.
constexpr seconds kHealthyWatch{10};
// Shorter watches wait like failures, whatever they delivered.
constexpr seconds kShortWatch{1};

constexpr int kPageSize = 500;

// The server ends each watch within these, so that watches spread over its replicas (client-go's
// range).
constexpr int kMinWatchSeconds = 300;
constexpr int kMaxWatchSeconds = 600;

}  // namespace

Reflector::Reflector(kube::Client& client, Clock& clock, metrics::WatchProbe& probe,
                     ReflectorSink& sink, Options options)
    : client_(client),
      clock_(clock),
      probe_(probe),
      sink_(sink),
      options_(std::move(options)),
      backoff_(kBackoff),
      random_(std::random_device{}()),
      last_activity_(clock.Now().time_since_epoch().count()) {}

Clock::Steady Reflector::LastActivity() const {
  return Clock::Steady(Clock::Steady::duration(last_activity_.load(std::memory_order_relaxed)));
}

void Reflector::Touch() {
  last_activity_.store(clock_.Now().time_since_epoch().count(), std::memory_order_relaxed);
  probe_.Event(clock_.WallNow());
}

void Reflector::Run(const std::stop_token& stop) {
  State state = State::kStart;
  while (!stop.stop_requested()) state = Step(state, stop);
  stream_.reset();
}

Reflector::State Reflector::Step(State state, const std::stop_token& stop) {
  switch (state) {
    case State::kStart:
      stream_.reset();
      version_ = api::ResourceVersion();
      return streaming_refused_ ? State::kListing : State::kStreaming;
    case State::kStreaming:
      return OpenStream(stop);
    case State::kListing:
      return ListPages(stop);
    case State::kResuming:
      return ResumeWatch(stop);
    case State::kWatching:
      return ReadWatch(stop);
  }
  return State::kStart;
}

Reflector::State Reflector::OpenStream(const std::stop_token& stop) {
  kube::WatchOptions watch;
  watch.ns = options_.ns;
  watch.send_initial_events = true;
  watch.timeout = WatchTimeout();
  auto opened = client_.Watch(options_.resource, watch, stop);
  if (!opened.ok()) {
    if (opened.error().code() == Code::kInvalid) {  // an older server, or the feature is off
      streaming_refused_ = true;
      return State::kListing;
    }
    return Failed(opened.error(), stop);
  }
  stream_ = *std::move(opened);
  opened_ = clock_.Now();
  streaming_initial_ = true;
  sink_.BeginReplace();
  probe_.Listed();
  return State::kWatching;
}

Reflector::State Reflector::ListPages(const std::stop_token& stop) {
  kube::ListOptions list;
  list.ns = options_.ns;
  list.limit = kPageSize;
  sink_.BeginReplace();
  probe_.Listed();
  for (;;) {
    auto json = client_.List(options_.resource, list, stop);
    if (!json.ok()) return Failed(json.error(), stop);
    auto page = sink_.Page(*json);
    if (!page.ok()) return Failed(page.error(), stop);
    Touch();
    list.continue_token = page->continue_token;
    if (!list.continue_token.empty()) continue;
    version_ = page->version;
    sink_.EndReplace(version_);
    return State::kResuming;
  }
}

Reflector::State Reflector::ResumeWatch(const std::stop_token& stop) {
  kube::WatchOptions watch;
  watch.ns = options_.ns;
  watch.resource_version = version_.text();
  watch.timeout = WatchTimeout();
  auto opened = client_.Watch(options_.resource, watch, stop);
  if (!opened.ok()) return Failed(opened.error(), stop);
  stream_ = *std::move(opened);
  opened_ = clock_.Now();
  streaming_initial_ = false;
  return State::kWatching;
}

Reflector::State Reflector::ReadWatch(const std::stop_token& stop) {
  auto line = stream_->Next(stop);
  if (!line.ok()) return Failed(line.error(), stop);
  if (!line->has_value()) return WatchEnded(stop);
  return ReadLine(**line, stop);
}

Reflector::State Reflector::ReadLine(std::string_view line, const std::stop_token& stop) {
  const auto frame = sink_.Line(line);
  if (!frame.ok()) return Failed(frame.error().Context("watch"), stop);
  Touch();
  if (frame->type == api::WatchEventType::kError) {
    return Failed(frame->error.value_or(Error(Code::kInternal, "watch error without a Status")),
                  stop);
  }
  if (failing_) {
    failing_ = false;
    log::Info("watch works again", {{"resource", options_.resource.plural}});
  }
  if (streaming_initial_) {
    // Until the marker the events are old states in no order of versions: none may be resumed from.
    if (frame->type != api::WatchEventType::kBookmark || !frame->initial_events_end)
      return State::kWatching;
    streaming_initial_ = false;
    version_ = frame->resource_version;
    sink_.EndReplace(version_);
    return State::kWatching;
  }
  version_ = frame->resource_version;
  if (frame->type == api::WatchEventType::kBookmark) sink_.Bookmark(version_);
  return State::kWatching;
}

Reflector::State Reflector::WatchEnded(const std::stop_token& stop) {
  stream_.reset();
  probe_.Restarted(metrics::WatchEnd::kRegular);
  const auto lived = clock_.Now() - opened_;
  if (lived >= kHealthyWatch) backoff_.Reset();
  if (lived < kShortWatch) Wait(std::nullopt, stop);
  return version_.empty() ? State::kStart : State::kResuming;
}

Reflector::State Reflector::Failed(const Error& error, const std::stop_token& stop) {
  if (stop.stop_requested()) return State::kStart;
  if (stream_ && clock_.Now() - opened_ >= kHealthyWatch) backoff_.Reset();
  stream_.reset();
  Account(error);
  // Versions that the server does not have (any more, or yet), and content that we cannot read,
  // make what we have no basis to go on from.
  const bool start_over = error.code() == Code::kExpired || error.code() == Code::kMalformed ||
                          api::IsTooLargeResourceVersion(error) || error.code() == Code::kInvalid;
  if (start_over) version_ = api::ResourceVersion();
  Wait(error, stop);
  return version_.empty() ? State::kStart : State::kResuming;
}

void Reflector::Account(const Error& error) {
  using metrics::WatchEnd;
  WatchEnd end = WatchEnd::kError;
  if (error.code() == Code::kExpired) end = WatchEnd::kExpired;
  if (error.code() == Code::kTimeout) end = WatchEnd::kTimeout;
  if (error.code() == Code::kMalformed) end = WatchEnd::kMalformed;
  if (api::IsTooLargeResourceVersion(error)) end = WatchEnd::kTooLarge;
  probe_.Restarted(end);
  // Once per change of state: a server that is down for an hour is one line, not a thousand.
  if (!failing_) {
    log::Warning("watch failed; trying again",
                 {{"resource", options_.resource.plural}, {"err", error}});
  } else if (log::V(4)) {
    log::Verbose("watch failed again", {{"resource", options_.resource.plural}, {"err", error}});
  }
  failing_ = true;
}

void Reflector::Wait(const std::optional<Error>& error, const std::stop_token& stop) {
  Clock::Duration delay = backoff_.Next();
  if (error && error->retry_after) delay = std::max<Clock::Duration>(delay, *error->retry_after);
  clock_.SleepFor(delay, stop);
}

seconds Reflector::WatchTimeout() {
  return seconds(std::uniform_int_distribution<int>(kMinWatchSeconds, kMaxWatchSeconds)(random_));
}

}  // namespace dra::cache
