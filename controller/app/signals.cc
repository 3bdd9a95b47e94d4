// SPDX-License-Identifier: Apache-2.0
#include "app/signals.h"

#include <pthread.h>
#include <signal.h>  // NOLINT: sigtimedwait is POSIX, not <csignal>
#include <unistd.h>

#include "base/log.h"
#include "base/mutex.h"

namespace dra::app {
namespace {

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

constexpr int kSecondSignalExit = 130;  // what a shell reports for a program ended by SIGINT

}  // namespace

SignalWatcher::SignalWatcher() {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A client that closes its connection must not end the program.
  ::signal(SIGPIPE, SIG_IGN);
  thread_ = std::jthread([this, signals](const std::stop_token& stop) {
    bool first = true;
    while (!stop.stop_requested()) {
      const timespec tick{0, 200'000'000};  // how late our own end may be noticed
      if (sigtimedwait(&signals, nullptr, &tick) < 0) continue;
      if (!first) _exit(kSecondSignalExit);
      first = false;
      log::Info("stopping; a second signal ends the program at once");
      source_.request_stop();
    }
  });
}

SignalWatcher::~SignalWatcher() = default;

void SignalWatcher::Wait() {
  Mutex mutex;
  CondVar cv;
  MutexLock lock(mutex);
  cv.wait(lock, source_.get_token(), [] { return false; });
}

}  // namespace dra::app
