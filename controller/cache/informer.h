// SPDX-License-Identifier: Apache-2.0
//
// Informer<T>: one mirrored resource: a Reflector that feeds a Store, and handlers that hear of
// each change.
//
// Life cycle: construct, AddIndex on the store, AddHandler, Start once, Stop once (or destroy).
// Handlers run on the informer's own thread, after the store shows the change; they must not block.
// A handler gets (old, now): old null for an added object, now null for one that is gone; a name
// that passes to another UID is told as gone and then added.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/decoder.h"
#include "base/log.h"
#include "cache/reflector.h"
#include "cache/store.h"

namespace dra::cache {

template <class T>
class Informer final : private ReflectorSink {
 public:
  using Ptr = std::shared_ptr<const T>;
  using Handler = std::function<void(const Ptr& old, const Ptr& now)>;

  struct Options {
    kube::Resource resource;
    std::string ns;  // empty: all namespaces
    // Objects for which this is false are treated as absent (W43). Null: all are kept.
    std::function<bool(const T&)> keep;
    // The server said that the object no longer exists, as opposed to: it is no longer kept. Called
    // before the handlers; null: nobody asks.
    std::function<void(const T&)> ended;
    // A complete list was older than what we had seen: the cluster was restored from a snapshot,
    // and what is known to be gone may be back.
    std::function<void()> versions_went_back;
  };

  Informer(kube::Client& client, Clock& clock, metrics::WatchProbe& probe, Options options)
      : clock_(clock),
        probe_(probe),
        options_(std::move(options)),
        reflector_(client, clock, probe, *this, {options_.resource, options_.ns}) {}
  ~Informer() override { Stop(); }

  Store<T>& store() { return store_; }
  const Store<T>& store() const { return store_; }

  void AddHandler(Handler handler) { handlers_.push_back(std::move(handler)); }

  void Start() {
    thread_ = std::jthread([this](const std::stop_token& stop) { reflector_.Run(stop); });
  }
  void Stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  // The store has held a complete list once.
  bool HasSynced() const {
    MutexLock lock(mutex_);
    return synced_;
  }
  // False if that did not happen before `deadline` or a stop request.
  bool WaitForSync(Clock::Steady deadline, const std::stop_token& stop) {
    MutexLock lock(mutex_);
    return clock_.WaitUntil(synced_changed_, lock, deadline, stop, [this] { return synced_; });
  }

  // When the server last told us anything, bookmarks included (about one a minute).
  Clock::Steady LastActivity() const { return reflector_.LastActivity(); }

 private:
  // A complete list in the making.
  struct Incoming {
    std::unordered_map<api::ObjectKey, Ptr> objects;
    // Exist, are not kept, and are in the store: their removal is no end. Disjoint from `objects`.
    std::unordered_set<api::ObjectKey> unkept;
  };
  enum class Removal { kEnded, kNotKept };

  void BeginReplace() override { incoming_ = std::make_unique<Incoming>(); }

  Result<PageInfo> Page(std::string_view json) override {
    DRA_TRY(auto page, decoder_.DecodeList<T>(json));
    for (T& object : page.items) Collect(std::move(object));
    return PageInfo{std::move(page.resource_version), std::move(page.continue_token)};
  }

  Result<api::WatchFrame> Line(std::string_view line) override {
    DRA_TRY(auto event, decoder_.DecodeWatchEvent<T>(line));
    api::WatchFrame frame = static_cast<const api::WatchFrame&>(event);
    const bool object =
        event.type != api::WatchEventType::kBookmark && event.type != api::WatchEventType::kError;
    if (!object) return frame;
    frame.resource_version = event.object.meta.resource_version;
    const bool deleted = event.type == api::WatchEventType::kDeleted;
    // The version moves before the handlers run: whoever they wake must not find the mirror behind
    // itself.
    if (incoming_ != nullptr) {
      deleted ? Drop(event.object.meta.key()) : Collect(std::move(event.object));
    } else if (deleted) {
      Remove(event.object.meta.key(), frame.resource_version, Removal::kEnded);
    } else if (!Keeps(event.object)) {
      Remove(event.object.meta.key(), frame.resource_version, Removal::kNotKept);
    } else {
      Put(std::make_shared<const T>(std::move(event.object)), frame.resource_version);
    }
    return frame;
  }

  void Bookmark(const api::ResourceVersion& version) override { store_.SetLastSeen(version); }

  void EndReplace(const api::ResourceVersion& version) override {
    const auto incoming = std::move(incoming_);
    if (!version.AtLeast(store_.LastSeen())) {
      log::Warning("the server is older than what it said before; was it restored from a snapshot?",
                   {{"resource", options_.resource.plural},
                    {"version", version.text()},
                    {"before", store_.LastSeen().text()}});
      if (options_.versions_went_back) options_.versions_went_back();
    }
    for (const Ptr& object : store_.All()) {
      const api::ObjectKey key = object->meta.key();
      if (incoming->objects.contains(key)) continue;
      Remove(key, version, incoming->unkept.contains(key) ? Removal::kNotKept : Removal::kEnded);
    }
    for (auto& [key, object] : incoming->objects) Put(std::move(object), version);
    store_.SetLastSeen(version);
    MutexLock lock(mutex_);
    synced_ = true;
    probe_.Synced(true);
    probe_.Objects(store_.Size());
    synced_changed_.notify_all();
  }

  bool Keeps(const T& object) const { return !options_.keep || options_.keep(object); }

  // An object of the list. While a streaming list comes in, so do changes of what it has sent
  // already: the later state of an object wins.
  void Collect(T object) {
    if (!Keeps(object)) {
      const api::ObjectKey unkept = object.meta.key();
      Drop(unkept);
      if (store_.Find(unkept) != nullptr) incoming_->unkept.insert(unkept);
      return;
    }
    // Unchanged objects keep their copy: a relist then needs memory for pointers only.
    Ptr known = store_.Find(object.meta.key());
    const bool same = known != nullptr && known->meta.uid == object.meta.uid &&
                      known->meta.resource_version == object.meta.resource_version;
    api::ObjectKey key = object.meta.key();
    incoming_->unkept.erase(key);
    incoming_->objects[std::move(key)] =
        same ? std::move(known) : std::make_shared<const T>(std::move(object));
  }

  void Drop(const api::ObjectKey& key) {
    incoming_->objects.erase(key);
    incoming_->unkept.erase(key);
  }

  void Put(Ptr object, const api::ResourceVersion& version) {
    Ptr old = store_.Find(object->meta.key());
    if (old == object) return;
    if (old != nullptr && old->meta.uid != object->meta.uid) {
      Remove(object->meta.key(), version, Removal::kEnded);  // the name has a new bearer
      old = nullptr;
    }
    store_.Put(object);
    store_.SetLastSeen(version);
    probe_.Objects(store_.Size());
    for (const Handler& handler : handlers_) handler(old, object);
  }

  void Remove(const api::ObjectKey& key, const api::ResourceVersion& version, Removal why) {
    const Ptr old = store_.Remove(key);
    store_.SetLastSeen(version);
    if (old == nullptr) return;
    if (why == Removal::kEnded && options_.ended) options_.ended(*old);
    probe_.Objects(store_.Size());
    for (const Handler& handler : handlers_) handler(old, nullptr);
  }

  Clock& clock_;
  metrics::WatchProbe& probe_;
  const Options options_;
  std::vector<Handler> handlers_;  // constant after Start

  // Used by the informer's thread only.
  api::Decoder decoder_;
  std::unique_ptr<Incoming> incoming_;  // set between BeginReplace and EndReplace

  Store<T> store_;  // provides its own synchronization

  mutable Mutex mutex_;
  CondVar synced_changed_;
  bool synced_ GUARDED_BY(mutex_) = false;

  Reflector reflector_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace dra::cache
