// SPDX-License-Identifier: Apache-2.0
#include "claims/claim_controller.h"

#include <algorithm>

#include "base/log.h"
#include "claims/blocked_pods.h"
#include "claims/census.h"
#include "claims/item_reconciler.h"
#include "claims/mirrors.h"
#include "claims/pod_arrivals.h"
#include "claims/triggers.h"
#include "metrics/claim_probe.h"
#include "metrics/queue_probe.h"
#include "metrics/reconcile_probe.h"
#include "queue/work_queue.h"
#include "runtime/controller.h"

namespace dra::claims {
namespace {

constexpr std::string_view kQueueName = "resource_claim";  // upstream's, for its workqueue_* series

// One claim that goes away makes room for one; a few more are woken because quotas may count
// otherwise.
constexpr std::size_t kWokenPerFreedClaim = 4;

// Whether the pod's wait for generated claims has not ended: only such a wait is measured.
bool AwaitsClaims(const api::Pod& pod) {
  return std::any_of(pod.claims.begin(), pod.claims.end(), [&pod](const api::PodClaimEntry& entry) {
    return std::holds_alternative<NotGenerated>(ResolveEntry(pod, entry));
  });
}

}  // namespace

struct ClaimController::Parts {
  explicit Parts(const Dependencies& dependencies);

  void OnPod(const PodPtr& old, const PodPtr& now);
  void OnClaim(const ClaimPtr& old, const ClaimPtr& now);
  void Enqueue(std::vector<WorkItem> items);
  void VersionsWentBack(std::string_view resource);

  Clock& clock;
  metrics::ClaimProbe claim_probe;
  metrics::QueueProbe queue_probe;
  metrics::ReconcileProbe reconcile_probe;
  Census census;
  PodArrivals arrivals;
  ReportedProblems reported;
  BlockedPods blocked;
  Written written;
  cache::Tombstones deleted_claims;
  queue::WorkQueue<WorkItem> queue;
  Mirrors mirrors;
  const Triggers triggers;
  const Execution execution;
  ItemReconciler reconciler;
  runtime::Controller<WorkItem> controller;
  std::jthread starter;  // waits for the mirrors, then starts the workers
};

ClaimController::Parts::Parts(const Dependencies& d)
    : clock(d.clock),
      claim_probe(d.registry),
      queue_probe(d.registry, kQueueName),
      reconcile_probe(d.registry, kQueueName),
      written(d.clock),
      queue(d.clock, queue_probe),
      mirrors(d.reads, d.clock, d.registry,
              [this](std::string_view resource) { VersionsWentBack(resource); }),
      triggers(mirrors),
      execution{d.writes, d.events, claim_probe, written,          deleted_claims,
                reported, arrivals, d.clock,     d.options.observe},
      reconciler(mirrors, execution, blocked, d.reads),
      controller({std::string(kQueueName), d.options.workers}, d.clock, queue, reconciler,
                 reconcile_probe) {
  written.AddMirror(kube::kPods.plural, [this] { return mirrors.pods.store().LastSeen(); });
  written.AddMirror(kube::kResourceClaims.plural,
                    [this] { return mirrors.claims.store().LastSeen(); });
  claim_probe.SetCensus([this] { return census.Counts(); });
  mirrors.pods.AddHandler([this](const PodPtr& old, const PodPtr& now) { OnPod(old, now); });
  mirrors.claims.AddHandler(
      [this](const ClaimPtr& old, const ClaimPtr& now) { OnClaim(old, now); });
  mirrors.templates.AddHandler([this](const TemplatePtr& old, const TemplatePtr& now) {
    Enqueue(triggers.OnTemplate(old, now));
  });
}

void ClaimController::Parts::Enqueue(std::vector<WorkItem> items) {
  for (WorkItem& item : items) queue.Add(std::move(item));
}

void ClaimController::Parts::OnPod(const PodPtr& old, const PodPtr& now) {
  if (now == nullptr) {
    blocked.Remove(old->meta.key());
    arrivals.Forget(old->meta.uid);
  } else if (old == nullptr && AwaitsClaims(*now)) {
    arrivals.Seen(now->meta.uid, clock.Now());
  }
  Enqueue(triggers.OnPod(old, now));
}

void ClaimController::Parts::OnClaim(const ClaimPtr& old, const ClaimPtr& now) {
  census.Changed(old, now);
  Enqueue(triggers.OnClaim(old, now));
  if (now != nullptr) return;
  for (api::ObjectKey& pod : blocked.Take(old->meta.ns, kWokenPerFreedClaim)) {
    queue.Add(ForPod(std::move(pod), "a claim of the namespace is gone: there may be quota again"));
  }
}

void ClaimController::Parts::VersionsWentBack(std::string_view resource) {
  written.Forget(resource);
  mirrors.gone_pods.Clear();
  deleted_claims.Clear();
}

ClaimController::ClaimController(const Dependencies& dependencies)
    : parts_(std::make_unique<Parts>(dependencies)) {}

ClaimController::~ClaimController() { Stop(); }

void ClaimController::Start() {
  parts_->mirrors.Start();
  parts_->starter = std::jthread([parts = parts_.get()](const std::stop_token& stop) {
    if (!parts->mirrors.WaitForSync(stop)) return;
    log::Info("caches synced", {{"pods", parts->mirrors.pods.store().Size()},
                                {"claims", parts->mirrors.claims.store().Size()},
                                {"templates", parts->mirrors.templates.store().Size()}});
    parts->controller.Start();
  });
}

void ClaimController::Stop() {
  parts_->starter.request_stop();
  if (parts_->starter.joinable()) parts_->starter.join();
  parts_->controller.Stop();
  parts_->mirrors.Stop();
  parts_->claim_probe.SetCensus(nullptr);
}

bool ClaimController::Synced() const { return parts_->mirrors.HasSynced(); }

bool ClaimController::Idle() const {
  const auto snapshot = parts_->queue.Snapshot();
  return snapshot.depth == 0 && snapshot.unfinished == Clock::Duration::zero();
}

std::size_t ClaimController::QueueDepth() const { return parts_->queue.Depth(); }

Result<void> ClaimController::Alive() const { return parts_->controller.Alive(); }

}  // namespace dra::claims
