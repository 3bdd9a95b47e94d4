// SPDX-License-Identifier: Apache-2.0
//
// IndexedTable<T>: objects of one kind by key and by any number of computed values (the claims that
// a pod names, the owner of a claim). Everything is O(1) per object and index value, also for a
// value that ten thousand objects share. Not thread-safe: Store adds the lock, and the informer
// fills a table of its own while it lists.
//
// T has a member `meta` of type api::ObjectMeta.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/meta.h"

namespace dra::cache {

// Names one index of one table; from Store::AddIndex.
struct IndexId {
  std::size_t position = 0;
};

// Appends the values under which the object is to be found. Pure; called without any lock.
template <class T>
using IndexFunction = std::function<void(const T&, std::vector<std::string>&)>;

template <class T>
class IndexedTable {
 public:
  using Ptr = std::shared_ptr<const T>;

  // `functions` must outlive the table and not change while it holds objects.
  explicit IndexedTable(const std::vector<IndexFunction<T>>& functions)
      : functions_(&functions), indices_(functions.size()) {}
  IndexedTable(IndexedTable&&) noexcept = default;
  IndexedTable& operator=(IndexedTable&&) noexcept = default;

  Ptr Find(const api::ObjectKey& key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : found->second.object;
  }

  // In no particular order.
  std::vector<Ptr> Lookup(IndexId id, std::string_view value) const {
    std::vector<Ptr> objects;
    const auto& index = indices_.at(id.position);
    const auto found = index.find(value);
    if (found == index.end()) return objects;
    objects.reserve(found->second.size());
    for (const Member& member : found->second) objects.push_back(member.entry->object);
    return objects;
  }

  // Returns what was there under the object's key.
  Ptr Put(Ptr object) {
    Entry& entry = entries_[object->meta.key()];
    Unlist(entry);
    Ptr before = std::exchange(entry.object, std::move(object));
    List(entry);
    return before;
  }

  Ptr Remove(const api::ObjectKey& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    Unlist(found->second);
    Ptr object = std::move(found->second.object);
    entries_.erase(found);
    return object;
  }

  std::size_t size() const { return entries_.size(); }

  template <class Visitor>
  void ForEach(Visitor&& visit) const {
    for (const auto& [key, entry] : entries_) visit(entry.object);
  }

 private:
  struct Entry;
  // One object under one index value; it is entry->postings[posting].
  struct Member {
    Entry* entry;
    std::size_t posting;
  };
  using Bucket = std::vector<Member>;
  // Where in which bucket an object is listed: what makes removal O(1).
  struct Posting {
    std::size_t index;
    std::pair<const std::string, Bucket>* value;
    std::size_t position;
  };
  struct Entry {
    Ptr object;
    std::vector<Posting> postings;
  };
  struct ValueHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view value) const {
      return std::hash<std::string_view>{}(value);
    }
  };
  using Index = std::unordered_map<std::string, Bucket, ValueHash, std::equal_to<>>;

  void List(Entry& entry) {
    for (std::size_t index = 0; index < functions_->size(); ++index) {
      values_.clear();
      (*functions_)[index](*entry.object, values_);
      for (std::string& value : values_) {
        auto& [text, bucket] = *indices_[index].try_emplace(std::move(value)).first;
        // A value that the function names twice is listed once.
        if (!bucket.empty() && bucket.back().entry == &entry) continue;
        bucket.push_back({&entry, entry.postings.size()});
        entry.postings.push_back({index, &*indices_[index].find(text), bucket.size() - 1});
      }
    }
    entry.postings.shrink_to_fit();
  }

  void Unlist(Entry& entry) {
    for (const Posting& posting : entry.postings) {
      Bucket& bucket = posting.value->second;
      const Member moved = bucket.back();
      bucket[posting.position] = moved;
      moved.entry->postings[moved.posting].position = posting.position;
      bucket.pop_back();
      if (!bucket.empty()) continue;
      Index& index = indices_[posting.index];
      index.erase(index.find(std::string_view(posting.value->first)));
    }
    entry.postings.clear();
  }

  const std::vector<IndexFunction<T>>* functions_;
  // Nodes of unordered_map do not move, not even when the map is moved; so members and postings can
  // point at each other. For every entry e and i: e.postings[i] names the member {e, i}, and every
  // member of every bucket is named so; no bucket is empty.
  std::unordered_map<api::ObjectKey, Entry> entries_;
  std::vector<Index> indices_;
  std::vector<std::string> values_;  // scratch of List
};

}  // namespace dra::cache
