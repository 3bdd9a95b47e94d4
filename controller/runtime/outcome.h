// SPDX-License-Identifier: Apache-2.0
//
// Outcome: what one reconciliation came to. The set is closed and is mapped to queue and metrics in
// one place (runtime/controller.h), so "do not retry" cannot get lost on the way.
#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "base/error.h"

namespace dra::runtime {

// Nothing left to do until an event says otherwise. Failures so far are forgotten.
struct Done {};

// Not an error: look again later (caches behind a write of ours, something is known to change at a
// time).
struct RequeueAfter {
  std::chrono::nanoseconds delay;
  std::string why;
};

// A failure that may pass: back off and try again. `error.retry_after` is a lower bound for the
// delay.
struct Retry {
  Error error;
  // No delay is longer than this; zero: the controller's own cap. For failures that end at a moment
  // that no event tells us, such as a permission that is granted.
  std::chrono::nanoseconds longest{0};
};

// A failure that this input will always have: wait for an event that changes the input, and look
// again after `recheck` at the latest, because not every change reaches us as an event.
struct GiveUp {
  Error error;
  std::chrono::nanoseconds recheck = std::chrono::minutes(10);
};

using Outcome = std::variant<Done, RequeueAfter, Retry, GiveUp>;

}  // namespace dra::runtime
