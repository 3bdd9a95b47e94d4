// SPDX-License-Identifier: Apache-2.0
#include "support/fake_validation.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "support/fake_claim_validation.h"

namespace dra::test {
namespace {

bool IsDnsLabel(const std::string& name) {
  return name.size() <= 63 && name.find('.') == std::string::npos && IsDnsSubdomain(name);
}

const Json& List(const Json& object, std::initializer_list<std::string_view> path) {
  static const Json none = Json::array();
  const Json& list = At(object, path);
  return list.is_array() ? list : none;
}

void ValidatePodEntries(const Json& pod, InvalidFields& invalid) {
  std::set<std::string> names;
  for (const Json& entry : List(pod, {"spec", "resourceClaims"})) {
    const std::string name = TextAt(entry, {"name"});
    const std::string field = "spec.resourceClaims[" + name + "]";
    if (!IsDnsLabel(name)) invalid.Invalid(field + ".name", "must be a DNS label");
    if (!names.insert(name).second) invalid.Duplicate(field, "the name is used twice");
    const bool by_name = !TextAt(entry, {"resourceClaimName"}).empty();
    const bool by_template = !TextAt(entry, {"resourceClaimTemplateName"}).empty();
    if (by_name == by_template) {
      invalid.Invalid(field, "must name exactly one of a claim and a template");
    }
  }
}

void ValidatePod(const Json& pod, InvalidFields& invalid) {
  if (List(pod, {"spec", "containers"}).empty()) invalid.Required("spec.containers");
  for (const Json& container : List(pod, {"spec", "containers"})) {
    if (!IsDnsLabel(TextAt(container, {"name"}))) {
      invalid.Invalid("spec.containers[].name", "must be a DNS label");
    }
    if (TextAt(container, {"image"}).empty()) invalid.Required("spec.containers[].image");
  }
  ValidatePodEntries(pod, invalid);
}

void ValidatePodStatus(const Json& pod, InvalidFields& invalid) {
  std::set<std::string> entries;
  for (const Json& entry : List(pod, {"spec", "resourceClaims"})) {
    entries.insert(TextAt(entry, {"name"}));
  }
  std::set<std::string> seen;
  for (const Json& status : List(pod, {"status", "resourceClaimStatuses"})) {
    const std::string name = TextAt(status, {"name"});
    const std::string field = "status.resourceClaimStatuses[" + name + "]";
    if (!entries.contains(name)) {
      invalid.Invalid(field + ".name", "is not the name of an entry in spec.resourceClaims");
    }
    if (!seen.insert(name).second) invalid.Duplicate(field + ".name", "is there twice");
    const Json& claim = At(status, {"resourceClaimName"});
    if (!claim.is_null() && !IsDnsSubdomain(claim.get<std::string>())) {
      invalid.Invalid(field + ".resourceClaimName", "must be a DNS subdomain");
    }
  }
}

// core/v1 Events are checked only when they use the fields of the newer events API.
void ValidateEvent(const Json& event, InvalidFields& invalid) {
  const std::string about = TextAt(event, {"involvedObject", "namespace"});
  if (about != MetaField(event, "namespace") &&
      !(about.empty() && MetaField(event, "namespace") == "default")) {
    invalid.Invalid("involvedObject.namespace", "does not match event.namespace");
  }
  if (At(event, {"eventTime"}).is_null()) return;
  for (const char* field : {"reportingComponent", "reportingInstance", "action", "reason"}) {
    if (TextAt(event, {field}).empty()) invalid.Required(field);
  }
  if (TextAt(event, {"reason"}).size() > 128) invalid.Invalid("reason", "at most 128 characters");
  if (TextAt(event, {"message"}).size() > 1024)
    invalid.Invalid("message", "at most 1024 characters");
}

void ValidateMeta(const Json& object, InvalidFields& invalid) {
  if (!IsDnsSubdomain(MetaField(object, "name"))) {
    invalid.Invalid("metadata.name", "must be a DNS subdomain");
  }
  int controllers = 0;
  for (const Json& owner : List(object, {"metadata", "ownerReferences"})) {
    for (const char* field : {"apiVersion", "kind", "name", "uid"}) {
      if (TextAt(owner, {field}).empty()) {
        invalid.Required(std::string("metadata.ownerReferences[].") + field);
      }
    }
    if (At(owner, {"controller"}) == true) ++controllers;
  }
  if (controllers > 1) {
    invalid.Invalid("metadata.ownerReferences", "only one reference may be the controller");
  }
  for (const char* map : {"labels", "annotations"}) {
    for (const auto& [key, value] : At(object, {"metadata", map}).items()) {
      if (!value.is_string()) invalid.Invalid(std::string("metadata.") + map, "must be strings");
    }
  }
}

void SetDefault(Json& object, const char* field, Json value) {
  if (!object.contains(field)) object[field] = std::move(value);
}

void DefaultPod(Json& pod) {
  Json& spec = pod["spec"];
  SetDefault(spec, "restartPolicy", "Always");
  SetDefault(spec, "terminationGracePeriodSeconds", 30);
  SetDefault(spec, "schedulerName", "default-scheduler");
  pod["status"] = {{"phase", "Pending"}, {"qosClass", "BestEffort"}};
}

// The fields of pod.spec that may change: gates can be removed, the rest of ours stays.
void ValidatePodSpecUpdate(const Json& old, const Json& next, InvalidFields& invalid) {
  Json before = old.value("spec", Json::object());
  Json after = next.value("spec", Json::object());
  const std::size_t gates = List(old, {"spec", "schedulingGates"}).size();
  if (List(next, {"spec", "schedulingGates"}).size() > gates) {
    invalid.Forbidden("spec.schedulingGates", "gates can only be removed");
  }
  for (const char* mutable_field : {"schedulingGates", "tolerations", "activeDeadlineSeconds",
                                    "terminationGracePeriodSeconds"}) {
    before.erase(mutable_field);
    after.erase(mutable_field);
  }
  if (before != after) invalid.Forbidden("spec", "pod updates may not change these fields");
}

void ValidateFinalizers(const Json& old, const Json& next, InvalidFields& invalid) {
  if (MetaField(old, "deletionTimestamp").empty()) return;
  const Json& before = List(old, {"metadata", "finalizers"});
  for (const Json& finalizer : List(next, {"metadata", "finalizers"})) {
    if (std::find(before.begin(), before.end(), finalizer) == before.end()) {
      invalid.Forbidden("metadata.finalizers", "none can be added to an object being deleted");
    }
  }
}

// Puts back what no patch of `part` can change.
void RestoreProtected(const FakeKind& kind, const Json& old, Json& next, Part part) {
  const auto keep = [&](const char* field) {
    if (old.contains(field)) {
      next[field] = old[field];
    } else {
      next.erase(field);
    }
  };
  if (part == Part::kStatus) {
    keep("spec");
    const Json version = At(next, {"metadata", "resourceVersion"});
    next["metadata"] = old["metadata"];
    next["metadata"]["resourceVersion"] = version;
    // A client that does not know the list cannot lose it; only an explicit empty one clears it.
    if (kind.kind == "Pod" && At(next, {"status", "resourceClaimStatuses"}).is_null() &&
        !At(old, {"status", "resourceClaimStatuses"}).is_null()) {
      next["status"]["resourceClaimStatuses"] = old["status"]["resourceClaimStatuses"];
    }
  } else {
    keep("status");  // no kind here has a status that the main resource may write
  }
  for (const char* field : {"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
                            "generateName", "generation"}) {
    if (old["metadata"].contains(field)) {
      next["metadata"][field] = old["metadata"][field];
    } else {
      next["metadata"].erase(field);
    }
  }
}

Result<void> CheckPreconditions(const Json& old, const Json& next) {
  const auto version = MetaField(next, "resourceVersion");
  if (!version.empty() && version != MetaField(old, "resourceVersion")) {
    return Conflict("the object has been modified; apply your changes to the latest version");
  }
  return {};
}

// The real server decodes into types; these are the ones that code here relies on.
Result<void> CheckShapes(const Json& object) {
  using Path = std::initializer_list<std::string_view>;
  for (const Path& path : {Path{"metadata"}, Path{"metadata", "labels"},
                           Path{"metadata", "annotations"}, Path{"spec"}, Path{"status"}}) {
    const Json& value = At(object, path);
    if (!value.is_null() && !value.is_object()) return BadRequest("a map was expected");
  }
  for (const Path& path :
       {Path{"metadata", "finalizers"}, Path{"metadata", "ownerReferences"},
        Path{"spec", "resourceClaims"}, Path{"spec", "containers"}, Path{"status", "reservedFor"},
        Path{"status", "devices"}, Path{"status", "resourceClaimStatuses"}}) {
    const Json& value = At(object, path);
    if (!value.is_null() && !value.is_array()) return BadRequest("a list was expected");
  }
  return {};
}

bool IsOmittedWhenEmpty(const std::string& name) {
  static const std::set<std::string> names = {
      "finalizers",  "ownerReferences", "labels",         "annotations",
      "reservedFor", "devices",         "resourceClaims", "resourceClaimStatuses",
      "conditions",  "schedulingGates"};
  return names.contains(name);
}

}  // namespace

void DropEmpty(Json& object) {
  if (object.is_array()) {
    for (Json& item : object) DropEmpty(item);
  }
  if (!object.is_object()) return;
  for (auto member = object.begin(); member != object.end();) {
    DropEmpty(*member);
    const bool gone = member->is_null() || (member->empty() && IsOmittedWhenEmpty(member.key()));
    member = gone ? object.erase(member) : std::next(member);
  }
}

Result<Json> PreparedForCreate(const FakeKind& kind, Json object) {
  DRA_RETURN_IF_ERROR(CheckShapes(object));
  object["apiVersion"] = kind.ApiVersion();
  object["kind"] = kind.kind;
  for (const char* field : {"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp",
                            "deletionGracePeriodSeconds", "managedFields", "selfLink"}) {
    object["metadata"].erase(field);
  }
  DropEmpty(object);
  InvalidFields invalid;
  ValidateMeta(object, invalid);
  if (kind.kind == "Pod") {
    ValidatePod(object, invalid);
    DefaultPod(object);
  } else if (kind.kind == "ResourceClaim") {
    object.erase("status");
    ValidateClaimSpec(At(object, {"spec"}), "spec", invalid);
    DefaultClaimSpec(object["spec"]);
  } else if (kind.kind == "ResourceClaimTemplate") {
    ValidateClaimTemplate(object, invalid);
    if (invalid.empty()) DefaultClaimSpec(object["spec"]["spec"]);
  } else if (kind.kind == "Event") {
    ValidateEvent(object, invalid);
  } else if (kind.kind == "Namespace") {
    object["status"] = {{"phase", "Active"}};
  }
  if (!invalid.empty()) return invalid.ToError(kind.kind, MetaField(object, "name"));
  return object;
}

Result<Json> PreparedForUpdate(const FakeKind& kind, const Json& old, Json next, Part part) {
  if (KeyOf(next) != KeyOf(old)) {
    return BadRequest("the name or namespace of the object does not match the URL");
  }
  DRA_RETURN_IF_ERROR(CheckShapes(next));
  DRA_RETURN_IF_ERROR(CheckPreconditions(old, next));
  InvalidFields invalid;
  if (MetaField(next, "uid") != MetaField(old, "uid")) {
    invalid.Invalid("metadata.uid", "field is immutable");
  }
  RestoreProtected(kind, old, next, part);
  next["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"];
  next["metadata"]["uid"] = old["metadata"]["uid"];
  DropEmpty(next);  // not earlier: RestoreProtected tells an empty list from none
  ValidateMeta(next, invalid);
  ValidateFinalizers(old, next, invalid);
  if (kind.kind == "Pod") {
    if (part == Part::kMain) ValidatePodSpecUpdate(old, next, invalid);
    ValidatePodStatus(next, invalid);
  } else if (kind.kind == "ResourceClaim") {
    if (old.value("spec", Json()) != next.value("spec", Json())) {
      invalid.Invalid("spec", "field is immutable");
    }
    if (part == Part::kStatus) {
      DropDeallocatedDevices(old, next);
      DropEmpty(next);
      ValidateClaimStatus(old, next, invalid);
    }
  } else if (kind.kind == "ResourceClaimTemplate") {
    if (old.value("spec", Json()) != next.value("spec", Json())) {
      invalid.Invalid("spec", "field is immutable");
    }
  } else if (kind.kind == "Event") {
    ValidateEvent(next, invalid);
  }
  if (!invalid.empty()) return invalid.ToError(kind.kind, MetaField(old, "name"));
  return next;
}

}  // namespace dra::test
