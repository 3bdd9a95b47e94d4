// SPDX-License-Identifier: Apache-2.0
//
// EventRecorder: tells people what happened to an object, by core/v1 Events. Fire and forget:
// emitting never blocks and never fails for the caller.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "api/event.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "kube/client.h"
#include "metrics/event_probe.h"

namespace dra::runtime {

struct EventRequest {
  std::string api_version;
  std::string kind;
  std::string ns;  // empty: a cluster-scoped object; its events go to "default"
  std::string name;
  std::string uid;
  std::string type = "Normal";  // or "Warning"
  std::string reason;
  std::string message;
};

class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  virtual void Emit(EventRequest request) = 0;
};

// Writes Events from a thread and with a budget of its own (the client it is given). Bounded: at
// most 1,000 wait, more are dropped and counted. As client-go does, an event that is equal to an
// earlier one within ten minutes raises that one's count, one object gets 25 events at once and
// then one in five minutes, and of events that differ by their message alone those after the tenth
// within ten minutes become one.
class AsyncEventRecorder final : public EventRecorder {
 public:
  struct Options {
    std::string component;  // "resource_claim"
    std::string instance;   // which process: the host's name
  };

  AsyncEventRecorder(kube::Client& client, Clock& clock, metrics::EventProbe& probe,
                     Options options);
  ~AsyncEventRecorder() override;

  void Emit(EventRequest request) override;

  // Writes what is queued for at most `patience`, then ends. Later events are dropped.
  void Stop(Clock::Duration patience);

 private:
  // An event that was written: where to find it to raise its count.
  struct Written {
    std::string ns;
    std::string name;
    int count = 0;
    Clock::Steady last;
  };
  // The messages that one object got for one reason, as hashes; at most kMostSimilar.
  struct Similar {
    std::set<std::uint64_t> messages;
    Clock::Steady last;
  };
  // Tokens of one object, as in a bucket.
  struct Allowance {
    double tokens;
    Clock::Steady refilled;
  };

  void Work(const std::stop_token& stop);
  bool Allowed(const EventRequest& request);
  bool OneOfTooMany(const EventRequest& request);
  void Write(EventRequest request, const std::stop_token& stop);
  // `key`: what makes a later event the same; `name`: of the new object.
  Result<void> Create(const EventRequest& request, const std::string& key, const std::string& name,
                      const std::stop_token& stop);
  Result<void> Count(Written& written, const std::stop_token& stop);
  void Forget();

  kube::Client& client_;
  Clock& clock_;
  metrics::EventProbe& probe_;
  const Options options_;

  Mutex mutex_;
  CondVar changed_;
  std::deque<EventRequest> queue_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
  bool busy_ GUARDED_BY(mutex_) = false;

  // Used by the writing thread only. Bounded by Forget.
  std::unordered_map<std::string, Written> written_;    // by everything that makes two events equal
  std::unordered_map<std::string, Similar> similar_;    // by object, type and reason
  std::unordered_map<std::string, Allowance> allowed_;  // by object

  std::jthread thread_;
};

}  // namespace dra::runtime
