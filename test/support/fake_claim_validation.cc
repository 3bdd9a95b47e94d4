// SPDX-License-Identifier: Apache-2.0
#include "support/fake_claim_validation.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace dra::test {
namespace {

constexpr std::size_t kMaxConsumers = 256;
constexpr std::size_t kMaxResults = 32;
constexpr std::size_t kMaxRequests = 32;

const Json& List(const Json& object, std::initializer_list<std::string_view> path) {
  static const Json none = Json::array();
  const Json& list = At(object, path);
  return list.is_array() ? list : none;
}

using DeviceId = std::tuple<std::string, std::string, std::string, std::string>;

DeviceId DeviceIdOf(const Json& device) {
  return {TextAt(device, {"driver"}), TextAt(device, {"pool"}), TextAt(device, {"device"}),
          TextAt(device, {"shareID"})};
}

std::set<DeviceId> AllocatedDevices(const Json& claim) {
  std::set<DeviceId> devices;
  for (const Json& result : List(claim, {"status", "allocation", "devices", "results"})) {
    devices.insert(DeviceIdOf(result));
  }
  return devices;
}

void ValidateRequest(const Json& request, const std::string& field, InvalidFields& invalid) {
  const bool exactly = request.contains("exactly");
  const bool first = !List(request, {"firstAvailable"}).empty();
  if (exactly == first) {
    invalid.Invalid(field, "exactly one of exactly and firstAvailable must be set");
  }
  if (exactly && TextAt(request, {"exactly", "deviceClassName"}).empty()) {
    invalid.Required(field + ".exactly.deviceClassName");
  }
  for (const Json& alternative : List(request, {"firstAvailable"})) {
    if (TextAt(alternative, {"name"}).empty()) invalid.Required(field + ".firstAvailable[].name");
    if (TextAt(alternative, {"deviceClassName"}).empty()) {
      invalid.Required(field + ".firstAvailable[].deviceClassName");
    }
  }
}

void ValidateConsumers(const Json& old, const Json& next, InvalidFields& invalid) {
  const std::string field = "status.reservedFor";
  const Json& consumers = List(next, {"status", "reservedFor"});
  const Json& before = List(old, {"status", "reservedFor"});
  if (consumers.size() > kMaxConsumers) invalid.TooMany(field, kMaxConsumers);
  std::set<std::string> uids;
  for (const Json& consumer : consumers) {
    for (const char* required : {"resource", "name", "uid"}) {
      if (TextAt(consumer, {required}).empty()) invalid.Required(field + "[]." + required);
    }
    if (!uids.insert(TextAt(consumer, {"uid"})).second) {
      invalid.Duplicate(field, TextAt(consumer, {"uid"}));
    }
    const bool is_new = std::find(before.begin(), before.end(), consumer) == before.end();
    if (is_new && !MetaField(old, "deletionTimestamp").empty()) {
      invalid.Forbidden(field, "new entries may not be added to a claim that is being deleted");
    }
  }
  if (!consumers.empty() && At(next, {"status", "allocation"}).is_null()) {
    invalid.Forbidden(field, "may not be set on a claim that is not allocated");
  }
}

void ValidateAllocation(const Json& next, InvalidFields& invalid) {
  std::set<std::string> requests;
  for (const Json& request : List(next, {"spec", "devices", "requests"})) {
    const std::string name = TextAt(request, {"name"});
    requests.insert(name);
    for (const Json& alternative : List(request, {"firstAvailable"})) {
      requests.insert(name + "/" + TextAt(alternative, {"name"}));
    }
  }
  const std::string field = "status.allocation.devices.results";
  const Json& results = List(next, {"status", "allocation", "devices", "results"});
  if (results.size() > kMaxResults) invalid.TooMany(field, kMaxResults);
  for (const Json& result : results) {
    if (!requests.contains(TextAt(result, {"request"}))) {
      invalid.Invalid(field + "[].request", "must be the name of a request in the claim");
    }
    for (const char* required : {"driver", "pool", "device"}) {
      if (TextAt(result, {required}).empty()) invalid.Required(field + "[]." + required);
    }
  }
}

void ValidateDevices(const Json& next, InvalidFields& invalid) {
  const std::set<DeviceId> allocated = AllocatedDevices(next);
  std::set<DeviceId> seen;
  for (const Json& device : List(next, {"status", "devices"})) {
    const DeviceId id = DeviceIdOf(device);
    if (!allocated.contains(id)) {
      invalid.Invalid("status.devices", "must be an allocated device in the claim");
    }
    if (!seen.insert(id).second) invalid.Duplicate("status.devices", TextAt(device, {"device"}));
  }
}

}  // namespace

void ValidateClaimSpec(const Json& spec, const std::string& field, InvalidFields& invalid) {
  if (!spec.is_object()) {
    invalid.Required(field);
    return;
  }
  const Json& requests = List(spec, {"devices", "requests"});
  const std::string where = field + ".devices.requests";
  if (requests.size() > kMaxRequests) invalid.TooMany(where, kMaxRequests);
  std::set<std::string> names;
  for (const Json& request : requests) {
    const std::string name = TextAt(request, {"name"});
    if (name.empty()) invalid.Required(where + "[].name");
    if (!names.insert(name).second) invalid.Duplicate(where, name);
    ValidateRequest(request, where + "[" + name + "]", invalid);
  }
}

void ValidateClaimTemplate(const Json& object, InvalidFields& invalid) {
  ValidateClaimSpec(At(object, {"spec", "spec"}), "spec.spec", invalid);
  for (const auto& [name, value] : At(object, {"spec", "metadata"}).items()) {
    if (name != "labels" && name != "annotations" && !value.is_null()) {
      invalid.Forbidden("spec.metadata." + name, "is not copied to claims");
    }
  }
}

void ValidateClaimStatus(const Json& old, const Json& next, InvalidFields& invalid) {
  ValidateConsumers(old, next, invalid);
  const Json& before = At(old, {"status", "allocation"});
  const Json& after = At(next, {"status", "allocation"});
  if (!before.is_null() && !after.is_null() && before != after) {
    invalid.Invalid("status.allocation", "field is immutable");
  } else if (before.is_null() && !after.is_null()) {
    ValidateAllocation(next, invalid);
  }
  ValidateDevices(next, invalid);
}

void DefaultClaimSpec(Json& spec) {
  if (!spec.contains("devices") || !spec["devices"].contains("requests")) return;
  for (Json& request : spec["devices"]["requests"]) {
    if (!request.is_object() || !request.contains("exactly")) continue;
    Json& exactly = request["exactly"];
    if (!exactly.contains("allocationMode")) exactly["allocationMode"] = "ExactCount";
    if (exactly["allocationMode"] == "ExactCount" && !exactly.contains("count")) {
      exactly["count"] = 1;
    }
  }
}

void DropDeallocatedDevices(const Json& old, Json& next) {
  if (List(next, {"status", "devices"}).empty()) return;
  const std::set<DeviceId> before = AllocatedDevices(old);
  const std::set<DeviceId> after = AllocatedDevices(next);
  Json kept = Json::array();
  for (const Json& device : next["status"]["devices"]) {
    const DeviceId id = DeviceIdOf(device);
    if (!before.contains(id) || after.contains(id)) kept.push_back(device);
  }
  next["status"]["devices"] = std::move(kept);
}

}  // namespace dra::test
