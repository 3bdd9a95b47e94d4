// SPDX-License-Identifier: Apache-2.0
#include "claims/pod_executor.h"

#include "api/decoder.h"
#include "api/patch.h"
#include "api/status.h"
#include "base/log.h"
#include "base/time.h"
#include "claims/failure.h"

namespace dra::claims {
namespace {

constexpr std::string_view kFieldManager =
    "ResourceClaimController";  // upstream's: we take over its fields

// A claim of ours that is going away frees its name with its delete event; this is for a missed
// one.
constexpr std::chrono::seconds kEndingRecheck{5};

// Another owner holds this name; the next one may be free.
Error NameTaken(const std::string& name) {
  return {Code::kAlreadyExists, "the name " + name + " belongs to another owner's claim"};
}

}  // namespace

runtime::Outcome PodExecutor::Execute(const WorkItem& item, const PodView& view,
                                      const PodPlan& plan, const std::stop_token& stop) {
  if (run_.observe) return Observe(item, view, plan);
  const api::Pod& pod = *view.pod;
  for (const Problem& problem : plan.problems) run_.Report(pod, problem);
  Progress progress;
  for (std::size_t i = 0; i < plan.entries.size(); ++i) {
    ExecuteEntry(item, pod, {view.entries[i], plan.entries[i]}, progress, stop);
  }
  if (!progress.resolved.empty()) {
    progress.outcome = Worse(progress.outcome, WriteStatus(item, pod, progress, stop));
  }
  for (const ClaimPtr& claim : plan.reserve) {
    progress.outcome = Worse(progress.outcome, Reserve(item, pod, claim, stop));
  }
  if (plan.look_again) {
    progress.outcome = Worse(
        progress.outcome, runtime::RequeueAfter{*plan.look_again, "see whether a problem lasts"});
  }
  return progress.outcome;
}

void PodExecutor::ExecuteEntry(const WorkItem& item, const api::Pod& pod, const Step& step,
                               Progress& progress, const std::stop_token& stop) {
  const auto& [entry, decision] = step;
  if (const auto* record = std::get_if<Record>(&decision)) {
    progress.resolved.push_back({entry.entry.name, record->claim_name});
  } else if (std::holds_alternative<WaitForEnd>(decision)) {
    progress.outcome =
        Worse(progress.outcome,
              runtime::RequeueAfter{kEndingRecheck, "the claim before is being deleted"});
  } else if (const auto* blocked = std::get_if<Blocked>(&decision)) {
    run_.Report(pod, blocked->problem);
    progress.outcome =
        Worse(progress.outcome, runtime::GiveUp{Error(Code::kInvalid, blocked->problem.message)});
  } else if (std::holds_alternative<Create>(decision)) {
    Made made = MakeClaim(item, pod, entry, stop);
    if (auto* name = std::get_if<std::string>(&made)) {
      progress.resolved.push_back({entry.entry.name, std::move(*name)});
    } else if (const auto* error = std::get_if<Error>(&made)) {
      if (error->code() != Code::kCancelled) {
        run_.Report(pod,
                    CreationFailed(entry.entry.name, "create ResourceClaim: " + error->message()));
      }
      progress.outcome = Worse(progress.outcome, OutcomeOf(*error));
    } else {
      progress.outcome =
          Worse(progress.outcome,
                runtime::RequeueAfter{kEndingRecheck, "the claim's name is being freed"});
    }
  }
}

PodExecutor::Made PodExecutor::MakeClaim(const WorkItem& item, const api::Pod& pod,
                                         const EntryView& entry, const std::stop_token& stop) {
  Made made = NameTaken("");
  for (int salt = 0; salt < kNameSalts; ++salt) {
    made = TryName(item, pod, entry, salt, stop);
    const auto* error = std::get_if<Error>(&made);
    if (error == nullptr || error->code() != Code::kAlreadyExists) break;
  }
  if (const auto* error = std::get_if<Error>(&made)) {
    run_.probe.CreateRequest(false, entry.claim_template->admin_access, "", "Pod");
    run_.probe.Write(metrics::ClaimWrite::kCreate, ToWriteResult(*error));
    if (api::IsQuotaExceeded(*error)) blocked_.Add(pod.meta.key());
  }
  return made;
}

PodExecutor::Made PodExecutor::TryName(const WorkItem& item, const api::Pod& pod,
                                       const EntryView& entry, int salt,
                                       const std::stop_token& stop) {
  const std::string name = GeneratedClaimName(pod, entry.entry.name, salt);
  const api::GeneratedClaim body{*entry.claim_template, pod, entry.entry.name, name,
                                 GenerateName(pod.meta.name, entry.entry.name)};
  auto created =
      run_.client.Create(kube::kResourceClaims, pod.meta.ns, api::GeneratedClaimBody(body), stop);
  if (!created.ok()) {
    // Somebody holds the name: perhaps we, by a write whose answer or event did not reach us.
    if (created.error().code() == Code::kAlreadyExists)
      return Existing(item, pod, entry, name, stop);
    return created.error();
  }
  run_.probe.CreateRequest(true, entry.claim_template->admin_access, "", "Pod");
  run_.probe.Write(metrics::ClaimWrite::kCreate, metrics::WriteResult::kOk);
  api::Decoder decoder;
  if (const auto claim = decoder.Decode<api::ResourceClaim>(*created); claim.ok()) {
    run_.written.Wrote(item, kube::kResourceClaims.plural, claim->meta.resource_version);
  }
  if (log::V(4)) {
    log::Verbose("claim created", {{"pod", pod.meta.key().ToString()}, {"claim", name}});
  }
  return name;
}

PodExecutor::Made PodExecutor::Existing(const WorkItem& item, const api::Pod& pod,
                                        const EntryView& entry, const std::string& name,
                                        const std::stop_token& stop) {
  auto json = run_.client.Get(kube::kResourceClaims, {pod.meta.ns, name}, stop);
  if (!json.ok()) {
    if (json.error().code() == Code::kNotFound)
      return Ending{};  // it went away between the two calls
    return json.error();
  }
  api::Decoder decoder;
  const auto claim = decoder.Decode<api::ResourceClaim>(*json);
  if (!claim.ok()) return claim.error();
  if (!IsOwnedBy(*claim, pod) || claim->pod_claim_name != entry.entry.name) return NameTaken(name);
  if (claim->meta.deleting()) return Ending{};  // W16
  run_.written.Wrote(item, kube::kResourceClaims.plural, claim->meta.resource_version);
  return name;
}

runtime::Outcome PodExecutor::WriteStatus(const WorkItem& item, const api::Pod& pod,
                                          const Progress& progress, const std::stop_token& stop) {
  const auto merged = MergeStatuses(pod, progress.resolved);
  const kube::PatchOptions options{kube::PatchType::kApply, std::string(kFieldManager), true,
                                   "status"};
  auto written = run_.client.Patch(kube::kPods, pod.meta.key(), options,
                                   api::PodClaimStatusesApply(pod, merged), stop);
  if (!written.ok()) {
    run_.probe.Write(metrics::ClaimWrite::kPodStatus, ToWriteResult(written.error()));
    return OutcomeOf(written.error().Context("record claim names in the pod's status"));
  }
  run_.probe.Write(metrics::ClaimWrite::kPodStatus, metrics::WriteResult::kOk);
  api::Decoder decoder;
  const auto after = decoder.Decode<api::Pod>(*written);
  if (!after.ok()) return runtime::Done{};
  run_.written.Wrote(item, kube::kPods.plural, after->meta.resource_version);
  if (std::holds_alternative<runtime::Done>(progress.outcome)) MeasureWait(pod);
  return runtime::Done{};
}

// Once for each pod, when all its entries have their claims.
void PodExecutor::MeasureWait(const api::Pod& pod) const {
  const auto waited = run_.arrivals.Served(pod.meta.uid, run_.clock.Now());
  if (!waited) return;
  run_.probe.PodServedSinceSeen(*waited);
  if (const auto created = ParseTime(pod.meta.creation_timestamp)) {
    run_.probe.PodServed(run_.clock.WallNow() - *created);
  }
}

runtime::Outcome PodExecutor::Reserve(const WorkItem& item, const api::Pod& pod,
                                      const ClaimPtr& claim, const std::stop_token& stop) {
  const api::ConsumerReference consumer{"", "pods", pod.meta.name, pod.meta.uid};
  const kube::PatchOptions options{kube::PatchType::kStrategicMerge, "", false, "status"};
  auto written = run_.client.Patch(kube::kResourceClaims, claim->meta.key(), options,
                                   api::ReserveConsumer(*claim, consumer), stop);
  if (!written.ok()) {
    const Error& error = written.error();
    run_.probe.Write(metrics::ClaimWrite::kReserve, ToWriteResult(error));
    const bool silent = error.code() == Code::kConflict || error.code() == Code::kCancelled;
    if (!silent) run_.Report(pod, ReservationFailed(claim->meta.name, error.message()));
    return OutcomeOf(error.Context("reserve claim " + claim->meta.name));
  }
  run_.probe.Write(metrics::ClaimWrite::kReserve, metrics::WriteResult::kOk);
  api::Decoder decoder;
  if (const auto after = decoder.Decode<api::ResourceClaim>(*written); after.ok()) {
    run_.written.Wrote(item, kube::kResourceClaims.plural, after->meta.resource_version);
  }
  return runtime::Done{};
}

runtime::Outcome PodExecutor::Observe(const WorkItem& item, const PodView& view,
                                      const PodPlan& plan) const {
  std::size_t creates = 0;
  for (const EntryDecision& decision : plan.entries)
    creates += std::holds_alternative<Create>(decision) ? 1 : 0;
  if (log::V(2) && creates + plan.reserve.size() > 0) {
    log::Verbose("observed, not done", {{"item", Describe(item)},
                                        {"uid", view.pod->meta.uid},
                                        {"creates", creates},
                                        {"reserves", plan.reserve.size()}});
  }
  return runtime::Done{};
}

}  // namespace dra::claims
