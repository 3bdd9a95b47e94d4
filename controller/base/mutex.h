// SPDX-License-Identifier: Apache-2.0
//
// A mutex whose protocol clang can check (-Wthread-safety). gcc ignores the annotations, so they
// are documentation there and a compile error under clang.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define DRA_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define DRA_THREAD_ANNOTATION(x)
#endif
#define CAPABILITY(x) DRA_THREAD_ANNOTATION(capability(x))
#define SCOPED_CAPABILITY DRA_THREAD_ANNOTATION(scoped_lockable)
#define GUARDED_BY(x) DRA_THREAD_ANNOTATION(guarded_by(x))
#define REQUIRES(...) DRA_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) DRA_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) DRA_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) DRA_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS DRA_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace dra {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Holds a Mutex for a scope. lock() and unlock() exist so that CondVar can wait with it.
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() {
    if (held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }
  void unlock() RELEASE() {
    held_ = false;
    mutex_.unlock();
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

// Waits take a stop_token: wait(lock, stop, predicate).
using CondVar = std::condition_variable_any;

}  // namespace dra
