// SPDX-License-Identifier: Apache-2.0
//
// Runs the program: builds everything in order, waits for the stop signal, takes it down in
// reverse.
#pragma once

#include "app/options.h"
#include "app/signals.h"
#include "base/result.h"

namespace dra::app {

// Blocks until a signal. An error: it could not start, and the message says what to do.
Result<void> Run(const RunOptions& options, SignalWatcher& signals);

}  // namespace dra::app
