// SPDX-License-Identifier: Apache-2.0
#include "claims/failure.h"

#include "api/status.h"

namespace dra::claims {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// A permission may be granted at any time and no event says so: within seconds of the grant it
// works (C20).
constexpr seconds kForbiddenRecheck{10};
// Freed quota wakes the namespace's waiting pods (blocked_pods.h); quota that an administrator
// raises does not.
constexpr seconds kQuotaRecheck{30};
// Servers, networks and webhooks come back without telling us.
constexpr seconds kUnavailableRecheck{30};

runtime::Outcome OutcomeOfForbidden(const Error& error) {
  // Nothing can be created there any more; the pods will go, too.
  if (api::IsNamespaceTerminating(error)) return runtime::GiveUp{error, minutes(1)};
  return runtime::Retry{error, api::IsQuotaExceeded(error) ? kQuotaRecheck : kForbiddenRecheck};
}

int Rank(const runtime::Outcome& outcome) {
  if (std::holds_alternative<runtime::Retry>(outcome)) return 3;
  if (std::holds_alternative<runtime::RequeueAfter>(outcome)) return 2;
  return std::holds_alternative<runtime::GiveUp>(outcome) ? 1 : 0;
}

}  // namespace

runtime::Outcome OutcomeOf(const Error& error) {
  switch (error.code()) {
    case Code::kNotFound:
      return runtime::Done{};  // what we wanted to write to is gone; so is the need
    case Code::kInvalid:
    case Code::kUnsupported:
      // The same request fails the same way until its input changes, which is an event, or until an
      // administrator changes a policy, which is not.
      return runtime::GiveUp{error, minutes(5)};
    case Code::kForbidden:
      return OutcomeOfForbidden(error);
    case Code::kUnauthorized:
    case Code::kUnavailable:
    case Code::kTimeout:
    case Code::kThrottled:
      return runtime::Retry{error, kUnavailableRecheck};
    case Code::kCancelled:
    case Code::kConflict:
    case Code::kAlreadyExists:
    case Code::kExpired:
    case Code::kMalformed:
    case Code::kInternal:
      return runtime::Retry{error};
  }
  return runtime::Retry{error};
}

runtime::Outcome Worse(runtime::Outcome a, runtime::Outcome b) { return Rank(b) > Rank(a) ? b : a; }

}  // namespace dra::claims
