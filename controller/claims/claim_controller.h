// SPDX-License-Identifier: Apache-2.0
//
// ClaimController: the life of ResourceClaims as one part to start and stop: mirrors, triggers,
// queue, workers.
//
// Life cycle: construct, Start once, Stop once (or destroy). Start returns at once; workers begin
// when all mirrors are synced, so the first look at every object is at a complete picture: whatever
// was missed while nobody ran is found then (C02). Threads: three reflectors, one that waits for
// them, and the workers.
#pragma once

#include <chrono>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "base/result.h"
#include "kube/client.h"
#include "metrics/registry.h"
#include "runtime/event_recorder.h"

namespace dra::claims {

class ClaimController {
 public:
  struct Options {
    int workers = 50;      // --concurrent-resourceclaim-syncs; KCM's default
    bool observe = false;  // compute everything, write nothing
  };

  struct Dependencies {
    kube::Client& reads;   // lists, watches, lookups
    kube::Client& writes;  // claims and statuses
    runtime::EventRecorder& events;
    Clock& clock;
    metrics::Registry& registry;
    Options options;
  };

  explicit ClaimController(const Dependencies& dependencies);
  ~ClaimController();

  void Start();
  // Returns when no thread of this controller runs any more; requests on the wire are cut.
  void Stop();

  bool Synced() const;
  // Nothing queued and nothing in work; delayed items do not count. For tests and for draining.
  bool Idle() const;
  std::size_t QueueDepth() const;

  // An error if a reconciliation has been running for longer than any should (liveness).
  Result<void> Alive() const;

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace dra::claims
