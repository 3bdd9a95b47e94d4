// SPDX-License-Identifier: Apache-2.0
//
// What the executors need to act: the way to the server, and who is told of what happened.
#pragma once

#include <stop_token>
#include <string_view>

#include "base/clock.h"
#include "cache/tombstones.h"
#include "cache/written_versions.h"
#include "claims/pod_arrivals.h"
#include "claims/reported_problems.h"
#include "claims/work_item.h"
#include "kube/client.h"
#include "metrics/claim_probe.h"
#include "runtime/event_recorder.h"

namespace dra::claims {

// Which item wrote which version; an item is not looked at again before the mirrors show its own
// writes.
using Written = cache::WrittenVersions<WorkItem>;

struct Execution {
  kube::Client& client;
  runtime::EventRecorder& events;
  metrics::ClaimProbe& probe;
  Written& written;
  // UIDs of claims that we deleted: until the mirror shows the end, nobody deletes them again.
  cache::Tombstones& deleted_claims;
  ReportedProblems& reported;
  PodArrivals& arrivals;
  Clock& clock;
  // Compute and log, write nothing (--lifecycle=observe).
  bool observe = false;

  // Tells a problem by an Event, unless it was told not long ago.
  void Report(const api::Pod& pod, const Problem& problem) const;
  void Report(const api::ResourceClaim& claim, const Problem& problem) const;
};

metrics::WriteResult ToWriteResult(const Error& error);

}  // namespace dra::claims
