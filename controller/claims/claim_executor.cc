// SPDX-License-Identifier: Apache-2.0
#include "claims/claim_executor.h"

#include <algorithm>

#include "api/decoder.h"
#include "api/patch.h"
#include "base/log.h"
#include "claims/failure.h"

namespace dra::claims {
namespace {

// A consumer that could not be looked up is asked for again this soon: its device waits.
constexpr std::chrono::seconds kUnknownRecheck{2};

}  // namespace

runtime::Outcome ClaimExecutor::Execute(const WorkItem& item, const ClaimView& view,
                                        const ClaimPlan& plan, const std::stop_token& stop) {
  for (const Problem& problem : plan.problems) run_.Report(*view.claim, problem);
  runtime::Outcome outcome = runtime::Done{};
  if (run_.observe) {
    if (plan.Writes() && log::V(2)) log::Verbose("observed, not done", {{"item", Describe(item)}});
    return outcome;
  }
  if (plan.Writes()) {
    const auto written = Write(item, view, plan, stop);
    if (!written.ok()) {
      const Code code = written.error().code();
      const bool expected =
          code == Code::kConflict || code == Code::kCancelled || code == Code::kNotFound;
      if (!expected) run_.Report(*view.claim, ReleaseFailed(written.error().message()));
      outcome = OutcomeOf(written.error());
    }
  }
  if (plan.incomplete) {
    outcome =
        Worse(outcome, runtime::RequeueAfter{kUnknownRecheck, "a consumer could not be looked up"});
  }
  if (plan.look_again) {
    outcome =
        Worse(outcome, runtime::RequeueAfter{*plan.look_again, "see whether a problem lasts"});
  }
  return outcome;
}

Result<void> ClaimExecutor::Write(const WorkItem& item, const ClaimView& view,
                                  const ClaimPlan& plan, const std::stop_token& stop) {
  api::ResourceClaim claim = *view.claim;
  if (!plan.release.empty() || plan.deallocate) {
    DRA_TRY(claim, WriteStatus(plan, claim, stop));
    run_.written.Wrote(item, kube::kResourceClaims.plural, claim.meta.resource_version);
    // What follows is only right for a claim that nobody holds: the answer decides, not the
    // request.
    if (plan.release_all && !claim.reserved_for.empty()) {
      return Error(Code::kConflict, "claim " + claim.meta.key().ToString() +
                                        " still has consumers after they were released");
    }
    TellReleased(claim, plan);
  }
  // What the server answered decides, not the plan: an allocation must never lose its finalizer.
  if (plan.remove_finalizer && !claim.allocated && claim.meta.HasFinalizer(api::kClaimFinalizer)) {
    DRA_TRY(claim, RemoveFinalizer(claim, stop));
    // The last finalizer of a dying claim takes the claim with it; there is no version to wait for.
    if (!claim.meta.deleting()) {
      run_.written.Wrote(item, kube::kResourceClaims.plural, claim.meta.resource_version);
    }
  }
  if (plan.remove) DRA_RETURN_IF_ERROR(Delete(claim, stop));
  return {};
}

Result<api::ResourceClaim> ClaimExecutor::Patched(metrics::ClaimWrite operation,
                                                  Result<std::string> answer) {
  if (!answer.ok()) {
    run_.probe.Write(operation, ToWriteResult(answer.error()));
    return answer.error();
  }
  run_.probe.Write(operation, metrics::WriteResult::kOk);
  api::Decoder decoder;
  return decoder.Decode<api::ResourceClaim>(*answer);
}

Result<api::ResourceClaim> ClaimExecutor::WriteStatus(const ClaimPlan& plan,
                                                      const api::ResourceClaim& claim,
                                                      const std::stop_token& stop) {
  // Some consumers: by UID, without fighting the scheduler, which may be adding one. The last: only
  // if nothing has changed since (C21).
  const bool all = plan.release_all;
  const kube::PatchOptions options{all ? kube::PatchType::kMerge : kube::PatchType::kStrategicMerge,
                                   "", false, "status"};
  std::string body =
      all ? api::ReleaseAll(claim, plan.deallocate) : api::ReleaseConsumers(claim, plan.release);
  const auto operation =
      plan.deallocate ? metrics::ClaimWrite::kDeallocate : metrics::ClaimWrite::kRelease;
  auto after = Patched(operation, run_.client.Patch(kube::kResourceClaims, claim.meta.key(),
                                                    options, std::move(body), stop));
  if (!after.ok()) return after.error().Context("release claim " + claim.meta.key().ToString());
  return after;
}

Result<api::ResourceClaim> ClaimExecutor::RemoveFinalizer(const api::ResourceClaim& claim,
                                                          const std::stop_token& stop) {
  std::vector<std::string> remaining = claim.meta.finalizers;
  std::erase(remaining, api::kClaimFinalizer);
  const kube::PatchOptions options{kube::PatchType::kMerge, "", false, ""};
  auto after = Patched(
      metrics::ClaimWrite::kRemoveFinalizer,
      run_.client.Patch(
          kube::kResourceClaims, claim.meta.key(), options,
          api::RemoveFinalizer(claim.meta.uid, claim.meta.resource_version.text(), remaining),
          stop));
  if (!after.ok()) {
    return after.error().Context("remove the finalizer of claim " + claim.meta.key().ToString());
  }
  return after;
}

Result<void> ClaimExecutor::Delete(const api::ResourceClaim& claim, const std::stop_token& stop) {
  const auto deleted =
      run_.client.Delete(kube::kResourceClaims, claim.meta.key(), {claim.meta.uid, ""}, stop);
  if (!deleted.ok()) {
    run_.probe.Write(metrics::ClaimWrite::kDelete, ToWriteResult(deleted.error()));
    return deleted.error().Context("delete claim " + claim.meta.key().ToString());
  }
  run_.probe.Write(metrics::ClaimWrite::kDelete, metrics::WriteResult::kOk);
  run_.deleted_claims.Add(claim.meta.uid);
  if (log::V(4)) log::Verbose("claim deleted", {{"claim", claim.meta.key().ToString()}});
  return {};
}

void ClaimExecutor::TellReleased(const api::ResourceClaim& claim, const ClaimPlan& plan) {
  // The routine end of a generated claim is told by its pod's end; two more Events per pod would
  // cost the server as much as the release itself. A user's claim lives on, and its owner wants to
  // know.
  if (claim.pod_claim_name || claim.extended) return;
  if (!plan.release.empty()) run_.Report(claim, Released(plan.release));
  if (plan.deallocate && !claim.allocated) run_.Report(claim, Deallocated());
}

}  // namespace dra::claims
