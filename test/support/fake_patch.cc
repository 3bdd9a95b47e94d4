// SPDX-License-Identifier: Apache-2.0
#include "support/fake_patch.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

namespace dra::test {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kDeletePrimitives = "$deleteFromPrimitiveList/";
constexpr std::string_view kSetOrder = "$setElementOrder/";

// The merge key of the list at `path` ("status.reservedFor"); nullptr: the list is replaced as a
// whole; "": a list of plain values, of which the union is formed.
const char* MergeKey(const std::string& path) {
  static const std::map<std::string, const char*> keys = {
      {"metadata.finalizers", ""},     {"metadata.ownerReferences", "uid"},
      {"status.reservedFor", "uid"},   {"status.resourceClaimStatuses", "name"},
      {"status.conditions", "type"},   {"spec.containers", "name"},
      {"spec.resourceClaims", "name"}, {"spec.schedulingGates", "name"},
  };
  const auto found = keys.find(path);
  return found == keys.end() ? nullptr : found->second;
}

Json::iterator FindItem(Json& list, const char* key, const Json& value) {
  return std::find_if(list.begin(), list.end(), [&](const Json& item) {
    return item.is_object() && item.contains(key) && item[key] == value;
  });
}

Result<Json> MergeMap(const Json& object, const Json& patch, const std::string& path);

// The order that the real server gives to a merged list: what the patch does not mention keeps its
// place; what it mentions stands in the patch's order, new items before the rest.
Json InServerOrder(const std::vector<Json>& kept, const std::vector<Json>& patched,
                   const std::function<int(const Json&)>& old_index) {
  Json merged = Json::array();
  auto left = kept.begin();
  auto right = patched.begin();
  while (left != kept.end() || right != patched.end()) {
    const bool take_left =
        right == patched.end() ||
        (left != kept.end() && old_index(*right) >= 0 && old_index(*left) < old_index(*right));
    merged.push_back(take_left ? *left++ : *right++);
  }
  return merged;
}

Json UnitedPlain(const Json& old, const Json& patch) {
  const auto index = [&](const Json& value) {
    const auto found = std::find(old.begin(), old.end(), value);
    return found == old.end() ? -1 : static_cast<int>(found - old.begin());
  };
  std::vector<Json> kept;
  std::copy_if(old.begin(), old.end(), std::back_inserter(kept), [&](const Json& value) {
    return std::find(patch.begin(), patch.end(), value) == patch.end();
  });
  return InServerOrder(kept, {patch.begin(), patch.end()}, index);
}

Result<Json> MergeKeyedList(Json old, const Json& patch, const char* key, const std::string& path) {
  std::vector<Json> patched;
  Json removed = Json::array();
  for (const Json& item : patch) {
    if (!item.is_object()) return BadRequest(path + ": items must be objects");
    const std::string directive = TextAt(item, {kDirective});
    if (directive == "replace") {
      old = Json::array();
      continue;
    }
    if (!item.contains(key)) return BadRequest(path + ": an item has no merge key " + key);
    if (directive == "delete") {
      removed.push_back(item[key]);
      continue;
    }
    const auto found = FindItem(old, key, item[key]);
    DRA_TRY(Json merged, MergeMap(found == old.end() ? Json::object() : *found, item, path));
    patched.push_back(std::move(merged));
  }
  const auto index = [&](const Json& item) {
    const auto found = FindItem(old, key, item[key]);
    return found == old.end() ? -1 : static_cast<int>(found - old.begin());
  };
  std::vector<Json> kept;
  for (const Json& item : old) {
    const bool gone = std::find(removed.begin(), removed.end(), item[key]) != removed.end();
    const bool named = std::any_of(patched.begin(), patched.end(),
                                   [&](const Json& other) { return other[key] == item[key]; });
    if (!gone && !named) kept.push_back(item);
  }
  return InServerOrder(kept, patched, index);
}

Result<Json> MergeValue(const Json& old, const Json& patch, const std::string& path) {
  if (patch.is_object()) return MergeMap(old.is_object() ? old : Json::object(), patch, path);
  if (!patch.is_array()) return patch;
  const char* key = MergeKey(path);
  if (key == nullptr) return patch;
  Json list = old.is_array() ? old : Json::array();
  if (*key == '\0') return UnitedPlain(list, patch);
  return MergeKeyedList(std::move(list), patch, key, path);
}

Result<Json> MergeMap(const Json& object, const Json& patch, const std::string& path) {
  Json merged = TextAt(patch, {kDirective}) == "replace" ? Json::object() : object;
  for (const auto& [name, value] : patch.items()) {
    const std::string child = path.empty() ? name : path + "." + name;
    if (name == kDirective || name.starts_with(kSetOrder)) continue;
    if (name.starts_with(kDeletePrimitives)) {
      Json& list = merged[name.substr(kDeletePrimitives.size())];
      for (const Json& gone : value) {
        if (!list.is_array()) break;
        list.erase(std::remove(list.begin(), list.end(), gone), list.end());
      }
    } else if (name.starts_with("$")) {
      return BadRequest("unknown patch directive " + name);
    } else if (value.is_null() || TextAt(value, {kDirective}) == "delete") {
      merged.erase(name);
    } else {
      // From `merged`: $deleteFromPrimitiveList of the same list sorts before it.
      DRA_TRY(Json result, MergeValue(At(merged, {name}), value, child));
      merged[name] = std::move(result);
    }
  }
  return merged;
}

const Json& Entries(const Json& pod) { return At(pod, {"status", "resourceClaimStatuses"}); }

const Json* FindEntry(const Json& entries, const std::string& name) {
  for (const Json& entry : entries) {
    if (TextAt(entry, {"name"}) == name) return &entry;
  }
  return nullptr;
}

// What the patch asks of the other fields: everything but the entries and what addresses the
// object.
Json OtherFields(const Json& patch) {
  Json rest = patch;
  rest.erase("apiVersion");
  rest.erase("kind");
  if (rest.contains("status")) rest["status"].erase("resourceClaimStatuses");
  return rest;
}

}  // namespace

Json MergePatched(const Json& object, const Json& patch) {
  Json merged = object;
  merged.merge_patch(patch);
  return merged;
}

Result<Json> StrategicPatched(const Json& object, const Json& patch) {
  return MergeMap(object, patch, "");
}

Result<Applied> PodApplied(const Json& pod, const Json& patch, const EntryOwners& owners,
                           const ApplyRequest& request) {
  const std::string self = "apply:" + request.manager;
  Applied applied{MergePatched(pod, OtherFields(patch)), owners};
  Json entries = Entries(pod).is_array() ? Entries(pod) : Json::array();
  const Json& wanted = Entries(patch);
  for (const Json& entry : wanted) {
    const std::string name = TextAt(entry, {"name"});
    auto& holders = applied.owners[name];
    const auto found = FindItem(entries, "name", name);
    if (found == entries.end()) {
      entries.push_back(entry);
      holders = {self};
      continue;
    }
    const Json merged = MergePatched(*found, entry);
    if (merged != *found) {
      const bool others = std::any_of(holders.begin(), holders.end(),
                                      [&](const std::string& holder) { return holder != self; });
      if (others && !request.force) {
        return Conflict("Apply failed with 1 conflict: .status.resourceClaimStatuses[name=\"" +
                        name + "\"].resourceClaimName");
      }
      holders.clear();
      *found = merged;
    }
    holders.insert(self);
  }
  for (auto owned = applied.owners.begin(); owned != applied.owners.end();) {
    auto& [name, holders] = *owned;
    const bool dropped = FindEntry(wanted, name) == nullptr && holders.erase(self) > 0;
    if (dropped && holders.empty()) {
      const auto found = FindItem(entries, "name", name);
      if (found != entries.end()) entries.erase(found);
      owned = applied.owners.erase(owned);
    } else {
      ++owned;
    }
  }
  applied.object["status"]["resourceClaimStatuses"] = std::move(entries);
  return applied;
}

EntryOwners OwnersAfterUpdate(const Json& before, const Json& after, EntryOwners owners,
                              const std::string& manager) {
  EntryOwners result;
  for (const Json& entry : Entries(after)) {
    const std::string name = TextAt(entry, {"name"});
    const Json* old = FindEntry(Entries(before), name);
    if (old != nullptr && *old == entry) {
      result[name] = owners[name];
    } else {
      result[name] = {"update:" + manager};
    }
  }
  return result;
}

}  // namespace dra::test
