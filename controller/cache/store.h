// SPDX-License-Identifier: Apache-2.0
//
// Store<T>: the latest known state of each object of one resource, with indices. One writer (the
// informer's thread), any number of readers; what is handed out is immutable. Held locks are short:
// no callbacks but the index functions run under them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/meta.h"
#include "base/mutex.h"

namespace dra::cache {

using IndexId = std::size_t;

template <class T>
class Store {
 public:
  using Ptr = std::shared_ptr<const T>;
  // Appends the values under which an object is found; no value twice.
  using KeysOf = std::function<void(const T& object, std::vector<std::string>& keys)>;

  // Before the first Put.
  IndexId AddIndex(KeysOf keys) {
    MutexLock lock(mutex_);
    indices_.push_back({std::move(keys), {}});
    return indices_.size() - 1;
  }

  // Null if there is no such object.
  Ptr Find(const api::ObjectKey& key) const {
    MutexLock lock(mutex_);
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : *found;
  }

  // In no particular order.
  std::vector<Ptr> ByIndex(IndexId index, std::string_view value) const {
    MutexLock lock(mutex_);
    std::vector<Ptr> found;
    const auto [begin, end] = indices_[index].entries.equal_range(std::string(value));
    for (auto it = begin; it != end; ++it) found.push_back(it->second);
    return found;
  }

  std::vector<Ptr> All() const {
    MutexLock lock(mutex_);
    return {objects_.begin(), objects_.end()};
  }

  std::size_t Size() const {
    MutexLock lock(mutex_);
    return objects_.size();
  }

  // Everything up to this version of the resource has been seen, also of objects that are not kept.
  api::ResourceVersion LastSeen() const {
    MutexLock lock(mutex_);
    return last_seen_;
  }

  // The writer's part. Put and Remove return what was there before.
  Ptr Put(Ptr object) {
    MutexLock lock(mutex_);
    Ptr before = Take(object->meta.key());
    for (Index& index : indices_) {
      for (std::string& value : Keys(index, *object)) {
        index.entries.emplace(std::move(value), object);
      }
    }
    objects_.insert(std::move(object));
    return before;
  }
  Ptr Remove(const api::ObjectKey& key) {
    MutexLock lock(mutex_);
    return Take(key);
  }
  void SetLastSeen(api::ResourceVersion version) {
    MutexLock lock(mutex_);
    last_seen_ = std::move(version);
  }

 private:
  // Objects are their own keys: the names are stored once.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const api::ObjectKey& key) const { return Of(key.ns, key.name); }
    std::size_t operator()(const Ptr& object) const {
      return Of(object->meta.ns, object->meta.name);
    }
    static std::size_t Of(std::string_view ns, std::string_view name) {
      const std::size_t seed = std::hash<std::string_view>{}(ns);
      return seed ^ (std::hash<std::string_view>{}(name) + 0x9E3779B97F4A7C15ULL + (seed << 6U));
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Ptr& a, const Ptr& b) const {
      return a->meta.name == b->meta.name && a->meta.ns == b->meta.ns;
    }
    bool operator()(const api::ObjectKey& a, const Ptr& b) const {
      return a.name == b->meta.name && a.ns == b->meta.ns;
    }
    bool operator()(const Ptr& a, const api::ObjectKey& b) const { return (*this)(b, a); }
  };
  struct Index {
    KeysOf keys;
    std::unordered_multimap<std::string, Ptr> entries;
  };

  static std::vector<std::string> Keys(const Index& index, const T& object) {
    std::vector<std::string> keys;
    index.keys(object, keys);
    return keys;
  }

  Ptr Take(const api::ObjectKey& key) REQUIRES(mutex_) {
    const auto found = objects_.find(key);
    if (found == objects_.end()) return nullptr;
    Ptr object = *found;
    for (Index& index : indices_) {
      for (const std::string& value : Keys(index, *object)) {
        const auto [begin, end] = index.entries.equal_range(value);
        for (auto it = begin; it != end; ++it) {
          if (it->second != object) continue;
          index.entries.erase(it);
          break;
        }
      }
    }
    objects_.erase(found);
    return object;
  }

  mutable Mutex mutex_;
  std::unordered_set<Ptr, Hash, Equal> objects_ GUARDED_BY(mutex_);
  // Each object of objects_ stands in each index once per value, and nothing else does.
  std::vector<Index> indices_ GUARDED_BY(mutex_);
  api::ResourceVersion last_seen_ GUARDED_BY(mutex_);
};

}  // namespace dra::cache
