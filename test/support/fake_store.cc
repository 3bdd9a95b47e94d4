// SPDX-License-Identifier: Apache-2.0
#include "support/fake_store.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dra::test {
namespace {

bool InNamespace(const api::ObjectKey& key, const std::string& ns) {
  return ns.empty() || key.ns == ns;
}

}  // namespace

const std::vector<FakeKind>& FakeKinds() {
  static const std::vector<FakeKind> kinds = {
      {"", "v1", "pods", "Pod"},
      {"", "v1", "events", "Event"},
      {"", "v1", "namespaces", "Namespace", false},
      {"", "v1", "nodes", "Node", false},
      {"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim"},
      {"resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate"},
      {"resource.k8s.io", "v1", "deviceclasses", "DeviceClass", false},
      {"resource.k8s.io", "v1", "resourceslices", "ResourceSlice", false},
      {"resource.k8s.io", "v1beta2", "devicetaintrules", "DeviceTaintRule", false},
      {"scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup"},
      {"coordination.k8s.io", "v1", "leases", "Lease"},
      {"policy.draops.dev", "v1alpha1", "devicebindingpolicies", "DeviceBindingPolicy", false},
      {"policy.draops.dev", "v1alpha1", "devicehealthpolicies", "DeviceHealthPolicy", false},
  };
  return kinds;
}

const FakeKind* FindKindByPlural(std::string_view group, std::string_view version,
                                 std::string_view plural) {
  for (const FakeKind& kind : FakeKinds()) {
    if (kind.group == group && kind.version == version && kind.plural == plural) return &kind;
  }
  return nullptr;
}

const FakeKind* FindKindByName(std::string_view name) {
  for (const FakeKind& kind : FakeKinds()) {
    if (kind.kind == name) return &kind;
  }
  return nullptr;
}

const Json& At(const Json& object, std::initializer_list<std::string_view> path) {
  static const Json null;
  const Json* at = &object;
  for (const std::string_view step : path) {
    if (!at->is_object()) return null;
    const auto member = at->find(step);
    if (member == at->end()) return null;
    at = &*member;
  }
  return *at;
}

Json At(Json&& object, std::initializer_list<std::string_view> path) {
  const Json& kept = object;
  return At(kept, path);
}

std::string TextAt(const Json& object, std::initializer_list<std::string_view> path) {
  const Json& value = At(object, path);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::string MetaField(const Json& object, std::string_view field) {
  return TextAt(object, {"metadata", field});
}

api::ObjectKey KeyOf(const Json& object) {
  return {MetaField(object, "namespace"), MetaField(object, "name")};
}

ObjectPtr FakeStore::Find(const std::string& plural, const api::ObjectKey& key) const {
  const auto collection = collections_.find(plural);
  if (collection == collections_.end()) return nullptr;
  const auto object = collection->second.objects.find(key);
  return object == collection->second.objects.end() ? nullptr : object->second;
}

std::vector<ObjectPtr> FakeStore::Objects(const std::string& plural, const std::string& ns) const {
  return ObjectsAt(plural, ns, version_);
}

std::vector<ObjectPtr> FakeStore::ObjectsAt(const std::string& plural, const std::string& ns,
                                            std::uint64_t version) const {
  const auto collection = collections_.find(plural);
  if (collection == collections_.end()) return {};
  auto objects = collection->second.objects;
  const auto& changes = collection->second.changes;
  for (auto change = changes.rbegin(); change != changes.rend() && change->version > version;
       ++change) {
    if (change->type == Change::Type::kBookmark) continue;
    const auto key = KeyOf(*change->object);
    if (change->before == nullptr) {
      objects.erase(key);
    } else {
      objects[key] = change->before;
    }
  }
  std::vector<ObjectPtr> found;
  for (const auto& [key, object] : objects) {
    if (InNamespace(key, ns)) found.push_back(object);
  }
  return found;
}

ObjectPtr FakeStore::Write(const std::string& plural, Json object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  auto stored = std::make_shared<const Json>(std::move(object));
  Collection& collection = collections_[plural];
  ObjectPtr& slot = collection.objects[KeyOf(*stored)];
  collection.changes.push_back(
      {slot == nullptr ? Change::Type::kAdded : Change::Type::kModified, version_, stored, slot});
  slot = stored;
  return stored;
}

ObjectPtr FakeStore::Erase(const std::string& plural, const api::ObjectKey& key) {
  Collection& collection = collections_[plural];
  const auto found = collection.objects.find(key);
  if (found == collection.objects.end()) return nullptr;
  Json last = *found->second;
  last["metadata"]["resourceVersion"] = std::to_string(++version_);
  auto gone = std::make_shared<const Json>(std::move(last));
  collection.changes.push_back({Change::Type::kDeleted, version_, gone, found->second});
  owners_.erase(MetaField(*gone, "uid"));
  collection.objects.erase(found);
  return gone;
}

void FakeStore::AddBookmark(const std::string& plural) {
  collections_[plural].changes.push_back({Change::Type::kBookmark, version_, nullptr, nullptr});
}

const std::vector<Change>& FakeStore::Changes(const std::string& plural) const {
  static const std::vector<Change> none;
  const auto collection = collections_.find(plural);
  return collection == collections_.end() ? none : collection->second.changes;
}

EntryOwners FakeStore::Owners(const std::string& uid) const {
  const auto owners = owners_.find(uid);
  return owners == owners_.end() ? EntryOwners{} : owners->second;
}

std::string FakeStore::NewUid() {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "00000000-0000-4000-8000-%012llx",
                static_cast<unsigned long long>(++uids_));
  return text.data();
}

}  // namespace dra::test
