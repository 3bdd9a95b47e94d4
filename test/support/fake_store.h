// SPDX-License-Identifier: Apache-2.0
//
// What the fake API server remembers: the objects, one counter of versions for all of them (as in
// one etcd), and every change since the start. Watches are cursors over these changes, and a list
// at an older version walks them back. Not thread-safe: fake_api_server.cc guards it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/object_key.h"
#include "support/fake_status.h"

namespace dra::test {

// One kind that the fake serves.
struct FakeKind {
  std::string group;
  std::string version;
  std::string plural;
  std::string kind;
  bool namespaced = true;

  std::string ApiVersion() const { return group.empty() ? version : group + "/" + version; }
  // "resourceclaims.resource.k8s.io", as messages name it.
  std::string Qualified() const { return group.empty() ? plural : plural + "." + group; }
};

const FakeKind* FindKindByPlural(std::string_view group, std::string_view version,
                                 std::string_view plural);
const FakeKind* FindKindByName(std::string_view kind);
const std::vector<FakeKind>& FakeKinds();

using ObjectPtr = std::shared_ptr<const Json>;

api::ObjectKey KeyOf(const Json& object);
// metadata.<field> as a string; empty when absent.
std::string MetaField(const Json& object, std::string_view field);
// object[a][b]...; null when any of it is missing.
const Json& At(const Json& object, std::initializer_list<std::string_view> path);
// Of a temporary: a copy, so that nothing dangles.
Json At(Json&& object, std::initializer_list<std::string_view> path);
// The same as a string; empty when it is missing or no string.
std::string TextAt(const Json& object, std::initializer_list<std::string_view> path);

// Who owns which entry of a pod's status.resourceClaimStatuses: "apply:<manager>" and
// "update:<manager>", as metadata.managedFields would have it.
using EntryOwners = std::map<std::string, std::set<std::string>>;

struct Change {
  enum class Type { kAdded, kModified, kDeleted, kBookmark };

  Type type;
  std::uint64_t version;
  ObjectPtr object;  // after the change; of a deletion, the last state; null for bookmarks
  ObjectPtr before;  // null when added
};

class FakeStore {
 public:
  // The version that nothing was written at yet. Above 1, so that tests can ask for an old one.
  static constexpr std::uint64_t kFirstVersion = 1000;

  ObjectPtr Find(const std::string& plural, const api::ObjectKey& key) const;
  std::vector<ObjectPtr> Objects(const std::string& plural, const std::string& ns) const;
  // The state at `version`, which must not be older than floor().
  std::vector<ObjectPtr> ObjectsAt(const std::string& plural, const std::string& ns,
                                   std::uint64_t version) const;

  // Stores `object` under the next version, which becomes its metadata.resourceVersion.
  ObjectPtr Write(const std::string& plural, Json object);
  ObjectPtr Erase(const std::string& plural, const api::ObjectKey& key);
  void AddBookmark(const std::string& plural);

  const std::vector<Change>& Changes(const std::string& plural) const;

  EntryOwners Owners(const std::string& uid) const;
  void SetOwners(const std::string& uid, EntryOwners owners) { owners_[uid] = std::move(owners); }

  std::uint64_t version() const { return version_; }
  // Versions before this one cannot be watched or continued from.
  std::uint64_t floor() const { return floor_; }
  void Compact() { floor_ = version_; }

  std::string NewUid();

 private:
  struct Collection {
    std::map<api::ObjectKey, ObjectPtr> objects;
    std::vector<Change> changes;  // versions ascend
  };

  std::uint64_t version_ = kFirstVersion;
  std::uint64_t floor_ = kFirstVersion;
  std::uint64_t uids_ = 0;
  std::map<std::string, Collection> collections_;  // by plural
  std::map<std::string, EntryOwners> owners_;      // by uid
};

}  // namespace dra::test
