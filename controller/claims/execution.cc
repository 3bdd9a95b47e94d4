// SPDX-License-Identifier: Apache-2.0
#include "claims/execution.h"

namespace dra::claims {
namespace {

runtime::EventRequest Request(const kube::Resource& resource, const api::ObjectMeta& meta,
                              const Problem& problem) {
  runtime::EventRequest event;
  event.api_version = resource.ApiVersion();
  event.kind = resource.kind;
  event.ns = meta.ns;
  event.name = meta.name;
  event.uid = meta.uid;
  event.type = problem.warning ? "Warning" : "Normal";
  event.reason = problem.reason;
  event.message = problem.message;
  return event;
}

}  // namespace

void Execution::Report(const api::Pod& pod, const Problem& problem) const {
  if (observe || !reported.ShouldReport(pod.meta.uid, problem, clock.Now())) return;
  events.Emit(Request(kube::kPods, pod.meta, problem));
}

void Execution::Report(const api::ResourceClaim& claim, const Problem& problem) const {
  if (observe || !reported.ShouldReport(claim.meta.uid, problem, clock.Now())) return;
  events.Emit(Request(kube::kResourceClaims, claim.meta, problem));
}

metrics::WriteResult ToWriteResult(const Error& error) {
  switch (error.code()) {
    case Code::kConflict:
    case Code::kAlreadyExists:
      return metrics::WriteResult::kConflict;
    case Code::kForbidden:
    case Code::kUnauthorized:
      return metrics::WriteResult::kForbidden;
    case Code::kInvalid:
      return metrics::WriteResult::kInvalid;
    default:
      return metrics::WriteResult::kError;
  }
}

}  // namespace dra::claims
