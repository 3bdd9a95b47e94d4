// SPDX-License-Identifier: Apache-2.0
//
// WrittenVersions<Item>: read your writes. An item that wrote version X of a resource is not to be
// looked at again before the mirror of that resource has passed X; until then its decision would be
// made from a state before its own write. No sleeping, no copies of written objects.
//
// A mirror moves with every event and, when nothing happens, with the bookmark of each minute, so
// no wait is longer than that while the watch works. Thread-safe.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/meta.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace dra::cache {

template <class Item>
class WrittenVersions {
 public:
  explicit WrittenVersions(const Clock& clock) : clock_(clock) {}

  // How far the mirror of `resource` is. All mirrors are added before the first Wrote. `last_seen`
  // must not call back into this object.
  void AddMirror(std::string_view resource, std::function<api::ResourceVersion()> last_seen) {
    MutexLock lock(mutex_);
    mirrors_.emplace_back(resource, std::move(last_seen));
  }

  void Wrote(const Item& item, std::string_view resource, const api::ResourceVersion& version) {
    MutexLock lock(mutex_);
    if (entries_.size() >= sweep_at_) Sweep();
    for (std::size_t mirror = 0; mirror < mirrors_.size(); ++mirror) {
      if (mirrors_[mirror].first != resource) continue;
      auto& writes = entries_[item];
      std::erase_if(writes, [&](const Write& write) { return write.mirror == mirror; });
      writes.push_back({mirror, version, clock_.Now()});
    }
  }

  // nullopt: the mirrors show all that the item wrote. Else how long to wait before asking again:
  // as long as the write is old, so a mirror that is far behind is asked ever less often.
  std::optional<Clock::Duration> BehindFor(const Item& item) {
    MutexLock lock(mutex_);
    const auto found = entries_.find(item);
    if (found == entries_.end()) return std::nullopt;
    std::erase_if(found->second, [this](const Write& write) { return Shown(write); });
    if (found->second.empty()) {
      entries_.erase(found);
      return std::nullopt;
    }
    Clock::Steady oldest = Clock::Steady::max();
    for (const Write& write : found->second) oldest = std::min(oldest, write.when);
    return std::clamp<Clock::Duration>(clock_.Now() - oldest, kShortest, kLongest);
  }

  // The versions of `resource` no longer mean what they did (etcd was restored): nothing waits for
  // them.
  void Forget(std::string_view resource) {
    MutexLock lock(mutex_);
    for (auto& [item, writes] : entries_) {
      std::erase_if(writes,
                    [&](const Write& write) { return mirrors_[write.mirror].first == resource; });
    }
    std::erase_if(entries_, [](const auto& entry) { return entry.second.empty(); });
  }

  std::size_t size() const {
    MutexLock lock(mutex_);
    return entries_.size();
  }

 private:
  static constexpr Clock::Duration kShortest = std::chrono::milliseconds(5);
  static constexpr Clock::Duration kLongest = std::chrono::seconds(1);
  static constexpr std::size_t kFirstSweep = 1024;

  struct Write {
    std::size_t mirror;
    api::ResourceVersion version;
    Clock::Steady when;
  };

  bool Shown(const Write& write) const REQUIRES(mutex_) {
    return mirrors_[write.mirror].second().AtLeast(write.version);
  }

  // Most items are never asked for again after their write: what is shown is dropped in bulk, at a
  // cost that is constant per write.
  void Sweep() REQUIRES(mutex_) {
    for (auto& [item, writes] : entries_) {
      std::erase_if(writes, [this](const Write& write) { return Shown(write); });
    }
    std::erase_if(entries_, [](const auto& entry) { return entry.second.empty(); });
    sweep_at_ = std::max(kFirstSweep, entries_.size() * 2);
  }

  const Clock& clock_;
  mutable Mutex mutex_;
  std::vector<std::pair<std::string, std::function<api::ResourceVersion()>>> mirrors_
      GUARDED_BY(mutex_);
  std::unordered_map<Item, std::vector<Write>> entries_ GUARDED_BY(mutex_);  // no empty lists
  std::size_t sweep_at_ GUARDED_BY(mutex_) = kFirstSweep;
};

}  // namespace dra::cache
