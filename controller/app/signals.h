// SPDX-License-Identifier: Apache-2.0
//
// SIGTERM and SIGINT as a stop request. The first asks the program to stop; a second one ends it at
// once.
#pragma once

#include <stop_token>
#include <thread>

namespace dra::app {

class SignalWatcher {
 public:
  // Blocks both signals for this thread and all threads started later: construct it first in main.
  SignalWatcher();
  ~SignalWatcher();

  // Is requested to stop by the first signal.
  std::stop_token token() const { return source_.get_token(); }

  // Blocks until a signal came.
  void Wait();

 private:
  std::stop_source source_;
  std::jthread thread_;
};

}  // namespace dra::app
