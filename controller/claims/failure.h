// SPDX-License-Identifier: Apache-2.0
//
// From a failed write to what becomes of the item: which failures pass by themselves, which need
// somebody to act, and how soon to look again (W9, W10). The one table for all writes of this
// controller.
#pragma once

#include "base/error.h"
#include "runtime/outcome.h"

namespace dra::claims {

runtime::Outcome OutcomeOf(const Error& error);

// The one to report when several parts of an item ended differently: the part that needs the
// soonest or most certain second look wins (Retry, then RequeueAfter, then GiveUp, then Done). Of
// two of a kind, the first.
runtime::Outcome Worse(runtime::Outcome a, runtime::Outcome b);

}  // namespace dra::claims
