// SPDX-License-Identifier: Apache-2.0
//
// Tombstones: UIDs of objects whose end was seen. A UID is never given to a second object, so one
// that stands here needs no question to the server. Bounded: the oldest are forgotten, which costs
// a question. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "base/mutex.h"

namespace dra::cache {

class Tombstones {
 public:
  // Keeps at least the last `capacity` UIDs, at most twice as many.
  explicit Tombstones(std::size_t capacity = 65'536) : capacity_(capacity) {}

  void Add(std::string_view uid);
  bool Contains(std::string_view uid) const;
  // The past has been taken back (etcd restored from a snapshot).
  void Clear();

 private:
  // 128 bits: a UUID itself, or two hashes of any other text.
  using Id = std::array<std::uint64_t, 2>;
  struct Hash {
    std::size_t operator()(const Id& id) const { return id[0] ^ (id[1] * 0x9E3779B97F4A7C15ULL); }
  };
  using Set = std::unordered_set<Id, Hash>;

  static Id IdOf(std::string_view uid);

  const std::size_t capacity_;
  mutable Mutex mutex_;
  // Two generations: when `young_` is full it becomes `old_`, and what was old is forgotten.
  Set young_ GUARDED_BY(mutex_);
  Set old_ GUARDED_BY(mutex_);
};

}  // namespace dra::cache
