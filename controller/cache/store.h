// SPDX-License-Identifier: Apache-2.0
//
// Store<T>: the local copy of one resource. Objects are immutable and shared: a reader keeps what
// it has found for as long as it likes, and no lock is held while it looks at it.
//
// Two sides. The reader side is all const and may be used by any thread. The writer side belongs to
// one thread, that of the informer that owns the Store; nobody else gets a non-const Store. Content
// and version change together: whoever sees a version also sees all objects up to it.
#pragma once

#include <cassert>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "cache/indexed_table.h"
#include "cache/mirror.h"

namespace dra::cache {

template <class T>
class Store final : public Mirror {
 public:
  using Ptr = std::shared_ptr<const T>;
  using Table = IndexedTable<T>;

  Store() : table_(functions_) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // ---- Readers.

  // Null if there is no such object.
  Ptr Find(const api::ObjectKey& key) const {
    MutexLock lock(mutex_);
    return table_.Find(key);
  }

  // All objects that the index lists under `value`, in no particular order.
  std::vector<Ptr> ByIndex(IndexId id, std::string_view value) const {
    MutexLock lock(mutex_);
    return table_.Lookup(id, value);
  }

  api::ResourceVersion LastSeen() const override {
    MutexLock lock(mutex_);
    return last_seen_;
  }

  bool ShowsLive(const api::ObjectKey& key, std::string_view uid) const override {
    const Ptr object = Find(key);
    return object != nullptr && object->meta.uid == uid && !object->meta.deleting();
  }

  std::size_t Size() const {
    MutexLock lock(mutex_);
    return table_.size();
  }

  // Visits the objects of one moment. The visitor runs without the lock and may use the Store.
  template <class Visitor>
  void ForEach(Visitor&& visit) const {
    std::vector<Ptr> objects;
    {
      MutexLock lock(mutex_);
      objects.reserve(table_.size());
      table_.ForEach([&objects](const Ptr& object) { objects.push_back(object); });
    }
    for (const Ptr& object : objects) visit(object);
  }

  // ---- The writer. AddIndex comes before any other call of either side.

  IndexId AddIndex(IndexFunction<T> function) {
    MutexLock lock(mutex_);
    assert(table_.size() == 0 && "indices are added before objects");
    functions_.push_back(std::move(function));
    table_ = Table(functions_);
    return IndexId{functions_.size() - 1};
  }

  // Return what was there before under that key.
  Ptr Put(Ptr object) {
    const api::ResourceVersion version = object->meta.resource_version;
    MutexLock lock(mutex_);
    MoveTo(version);
    return table_.Put(std::move(object));
  }
  Ptr Remove(const api::ObjectKey& key, const api::ResourceVersion& version) {
    MutexLock lock(mutex_);
    MoveTo(version);
    return table_.Remove(key);
  }

  // A sign of progress without an object: a bookmark, or an event of an object that is not kept.
  void Advance(const api::ResourceVersion& version) {
    MutexLock lock(mutex_);
    MoveTo(version);
  }

  // An empty table with the indices of this Store, to be filled at leisure and given to Replace.
  Table NewTable() const { return Table(functions_); }

  // Exchanges the whole content at once; returns the old one. The version may be lower than before.
  Table Replace(Table table, const api::ResourceVersion& version) {
    MutexLock lock(mutex_);
    last_seen_ = version;
    return std::exchange(table_, std::move(table));
  }

 private:
  // Within one stream versions only grow; anything else is not a statement about progress.
  void MoveTo(const api::ResourceVersion& version) REQUIRES(mutex_) {
    if (!version.comparable()) return;
    if (version.AtLeast(last_seen_) || !last_seen_.comparable()) last_seen_ = version;
  }

  std::vector<IndexFunction<T>> functions_;  // constant once there are objects

  mutable Mutex mutex_;
  Table table_ GUARDED_BY(mutex_);
  api::ResourceVersion last_seen_ GUARDED_BY(mutex_);
};

}  // namespace dra::cache
