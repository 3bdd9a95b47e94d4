// SPDX-License-Identifier: Apache-2.0
#include "runtime/event_recorder.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "api/patch.h"
#include "base/backoff.h"
#include "base/log.h"
#include "base/strings.h"

namespace dra::runtime {
namespace {

using metrics::EventLoss;
using metrics::EventResult;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kQueueLimit = 1'000;
// client-go's spam filter and correlation window.
constexpr double kBurstPerObject = 25;
constexpr seconds kOneMoreEvery{300};
constexpr minutes kSameEventWithin{10};
constexpr std::size_t kRemembered = 4'096;  // client-go's cache size
constexpr std::size_t kMostSimilar = 10;
constexpr std::string_view kCombined = "(combined from similar events): ";  // client-go's words
constexpr int kTries = 4;
constexpr Backoff::Options kRetry{std::chrono::milliseconds(250), seconds(4)};

// Of objects without UID the name has to do.
std::string ObjectKeyOf(const EventRequest& e) { return Join({e.uid, e.kind, e.ns, e.name}, "\n"); }

std::string SimilarityKey(const EventRequest& e) {
  return Join({ObjectKeyOf(e), e.type, e.reason}, "\n");
}

std::string EqualityKey(const EventRequest& e) { return Join({SimilarityKey(e), e.message}, "\n"); }

bool Transient(const Error& error) {
  return error.code() == Code::kUnavailable || error.code() == Code::kTimeout ||
         error.code() == Code::kThrottled || error.code() == Code::kUnauthorized;
}

std::string HexHash(std::string_view text) {
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx",
                static_cast<unsigned long long>(StableHash(text)));
  return hex.data();
}

// "<object>.<hash>", as client-go names them; the time keeps two runs of the process apart. The
// object's name may be as long as a name can be, or no name for an event at all.
std::string NameOf(const EventRequest& event, const std::string& key, Clock::Wall now) {
  constexpr std::size_t kMaxName = 253;
  const std::string suffix = "." + HexHash(key + std::to_string(now.time_since_epoch().count()));
  std::string object = event.name.substr(0, kMaxName - suffix.size());
  while (!object.empty() && (object.back() == '.' || object.back() == '-')) object.pop_back();
  return (IsDnsSubdomain(object) ? object : "event") + suffix;
}

}  // namespace

AsyncEventRecorder::AsyncEventRecorder(kube::Client& client, Clock& clock,
                                       metrics::EventProbe& probe, Options options)
    : client_(client), clock_(clock), probe_(probe), options_(std::move(options)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Work(stop); });
}

AsyncEventRecorder::~AsyncEventRecorder() { Stop(Clock::Duration::zero()); }

void AsyncEventRecorder::Emit(EventRequest request) {
  request.message = Truncate(request.message, api::kMaxEventMessage);  // bounds the queue's memory
  MutexLock lock(mutex_);
  if (closed_ || queue_.size() >= kQueueLimit) {
    probe_.Lost(closed_ ? EventLoss::kStopped : EventLoss::kQueueFull);
    return;
  }
  queue_.push_back(std::move(request));
  changed_.notify_all();
}

void AsyncEventRecorder::Stop(Clock::Duration patience) {
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    closed_ = true;
    const auto deadline =
        clock_.Now() + std::chrono::duration_cast<Clock::Steady::duration>(patience);
    clock_.WaitUntil(changed_, lock, deadline, std::stop_token{},
                     [this] { return queue_.empty() && !busy_; });
    for (std::size_t i = 0; i < queue_.size(); ++i) probe_.Lost(EventLoss::kStopped);
    queue_.clear();
  }
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void AsyncEventRecorder::Work(const std::stop_token& stop) {
  for (;;) {
    MutexLock lock(mutex_);
    busy_ = false;
    changed_.notify_all();
    if (!clock_.WaitUntil(changed_, lock, Clock::Steady::max(), stop,
                          [this] { return !queue_.empty(); }))
      return;
    EventRequest request = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    if (Allowed(request)) {
      Write(std::move(request), stop);
    } else {
      probe_.Emitted(EventResult::kFiltered);
    }
    lock.lock();
  }
}

bool AsyncEventRecorder::Allowed(const EventRequest& request) {
  const auto now = clock_.Now();
  if (allowed_.size() >= kRemembered) allowed_.clear();
  auto [found, added] = allowed_.try_emplace(ObjectKeyOf(request), Allowance{kBurstPerObject, now});
  Allowance& allowance = found->second;
  const double earned = static_cast<double>((now - allowance.refilled).count()) /
                        static_cast<double>(std::chrono::nanoseconds(kOneMoreEvery).count());
  allowance.tokens = std::min(kBurstPerObject, allowance.tokens + earned);
  allowance.refilled = now;
  if (allowance.tokens < 1) return false;
  allowance.tokens -= 1;
  return true;
}

bool AsyncEventRecorder::OneOfTooMany(const EventRequest& request) {
  const auto now = clock_.Now();
  if (similar_.size() >= kRemembered) {
    std::erase_if(similar_,
                  [now](const auto& entry) { return now - entry.second.last >= kSameEventWithin; });
    if (similar_.size() >= kRemembered) similar_.clear();
  }
  Similar& similar = similar_[SimilarityKey(request)];
  if (now - similar.last >= kSameEventWithin) similar.messages.clear();
  similar.last = now;
  const std::uint64_t message = StableHash(request.message);
  if (similar.messages.contains(message)) return false;
  if (similar.messages.size() >= kMostSimilar) return true;
  similar.messages.insert(message);
  return false;
}

void AsyncEventRecorder::Write(EventRequest request, const std::stop_token& stop) {
  std::string key = EqualityKey(request);
  if (OneOfTooMany(request)) {
    key = SimilarityKey(request);
    request.message.insert(0, kCombined);
  }
  // One name for all attempts: a POST that was applied although its answer got lost must not be
  // applied twice.
  const std::string name = NameOf(request, key, clock_.WallNow());
  for (int attempt = 1; attempt <= kTries; ++attempt) {
    const auto found = written_.find(key);
    const bool repeat =
        found != written_.end() && clock_.Now() - found->second.last < kSameEventWithin;
    auto wrote = repeat ? Count(found->second, stop) : Create(request, key, name, stop);
    if (wrote.ok()) {
      probe_.Emitted(repeat ? EventResult::kCounted : EventResult::kCreated);
      return;
    }
    if (repeat && wrote.error().code() == Code::kNotFound) {
      written_.erase(found);  // the server forgets events after an hour: make a new one
      continue;
    }
    const bool again = Transient(wrote.error());
    if (!again || attempt == kTries || !clock_.SleepFor(BackoffDelay(kRetry, attempt), stop)) {
      if (log::V(2)) {
        log::Verbose("event lost",
                     {{"about", request.name}, {"reason", request.reason}, {"err", wrote.error()}});
      }
      break;
    }
  }
  probe_.Lost(stop.stop_requested() ? EventLoss::kStopped : EventLoss::kWriteFailed);
}

Result<void> AsyncEventRecorder::Create(const EventRequest& request, const std::string& key,
                                        const std::string& name, const std::stop_token& stop) {
  const auto now = clock_.WallNow();
  api::EventData event;
  event.ns = request.ns.empty() ? "default" : request.ns;
  event.name = name;
  event.about = {request.api_version, request.kind, request.ns, request.name, request.uid, ""};
  event.type = request.type;
  event.reason = request.reason;
  event.message = request.message;
  event.first = now;
  event.last = now;
  event.component = options_.component;
  event.instance = options_.instance;
  const auto created = client_.Create(kube::kEvents, event.ns, api::EventBody(event), stop);
  // The name is ours alone, so "exists" means that an earlier attempt arrived after all.
  if (!created.ok() && created.error().code() != Code::kAlreadyExists) return created.error();
  if (written_.size() >= kRemembered) Forget();
  written_[key] = Written{event.ns, event.name, 1, clock_.Now()};
  return {};
}

Result<void> AsyncEventRecorder::Count(Written& written, const std::stop_token& stop) {
  const int count = written.count + 1;
  const auto patched = client_.Patch(kube::kEvents, {written.ns, written.name},
                                     {kube::PatchType::kMerge, "", false, ""},
                                     api::EventCountPatch(count, clock_.WallNow()), stop);
  if (!patched.ok()) return patched.error();
  written.count = count;
  written.last = clock_.Now();
  return {};
}

void AsyncEventRecorder::Forget() {
  const auto now = clock_.Now();
  std::erase_if(written_,
                [now](const auto& entry) { return now - entry.second.last >= kSameEventWithin; });
  if (written_.size() >= kRemembered) written_.clear();
}

}  // namespace dra::runtime
