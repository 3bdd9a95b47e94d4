// SPDX-License-Identifier: Apache-2.0
#include "support/fake_verbs.h"

#include <algorithm>

#include "base/strings.h"
#include "base/time.h"
#include "support/fake_patch.h"
#include "support/fake_validation.h"

namespace dra::test {
namespace {

constexpr std::int64_t kDefaultGrace = 30;

bool HasFinalizers(const Json& object) { return !At(object, {"metadata", "finalizers"}).empty(); }

std::int64_t IntegerOr(const Json& value, std::int64_t otherwise) {
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

Result<Json> ParseBody(const std::string& body) {
  if (body.empty()) return Json(Json::object());
  Json parsed = Json::parse(body, nullptr, false);
  if (!parsed.is_object()) return BadRequest("the body is not a JSON object");
  return parsed;
}

// What an SSA request has to be beside the fields that it wants.
Result<void> CheckApply(const FakeKind& kind, const FakeRoute& route, const Json& patch) {
  if (route.Query("fieldManager").empty()) {
    InvalidFields invalid;
    invalid.Required("fieldManager");
    return invalid.ToError("PatchOptions", "");
  }
  if (TextAt(patch, {"apiVersion"}) != kind.ApiVersion() || TextAt(patch, {"kind"}) != kind.kind) {
    return BadRequest("apiVersion and kind must be set in an apply patch");
  }
  if (!At(patch, {"metadata", "managedFields"}).is_null()) {
    return BadRequest("metadata.managedFields must be nil");
  }
  return {};
}

Json SuccessStatus(const FakeKind& kind, const Json& gone) {
  Json details = {
      {"name", MetaField(gone, "name")}, {"kind", kind.plural}, {"uid", MetaField(gone, "uid")}};
  if (!kind.group.empty()) details["group"] = kind.group;
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", Json::object()},
          {"status", "Success"},
          {"details", std::move(details)}};
}

}  // namespace

Result<Json> FakeVerbs::Do(const FakeRoute& route, const kube::Request& request) {
  if (request.method == kube::Method::kGet) {
    return route.key.name.empty() ? List(route) : Get(route);
  }
  DRA_TRY(const Json body, ParseBody(request.body));
  const bool whole = route.subresource.empty();
  if (request.method == kube::Method::kPost && route.key.name.empty()) return Create(route, body);
  if (request.method == kube::Method::kPatch && !route.key.name.empty()) {
    return Patch(route, request, body);
  }
  if (request.method == kube::Method::kDelete && !route.key.name.empty() && whole) {
    return Delete(route, body);
  }
  return MethodNotAllowed("the method");
}

Result<void> FakeVerbs::CheckNamespace(const FakeRoute& route) const {
  const ObjectPtr ns = store_.Find("namespaces", {"", route.key.ns});
  if (ns == nullptr || MetaField(*ns, "deletionTimestamp").empty()) return {};
  return ForbiddenIn("unable to create new content in namespace " + route.key.ns +
                         " because it is being terminated",
                     "NamespaceTerminating");
}

// generateName is only looked at when there is no name; both stay in the object.
Result<void> FakeVerbs::ChooseName(const FakeKind& kind, Json& object) {
  const std::string name = MetaField(object, "name");
  const std::string base = MetaField(object, "generateName");
  if (!name.empty()) {
    if (store_.Find(kind.plural, KeyOf(object)) == nullptr) return {};
    return AlreadyExists(kind.Qualified(), name);
  }
  if (base.empty()) {
    InvalidFields invalid;
    invalid.Required("metadata.name");
    return invalid.ToError(kind.kind, "");
  }
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kMaxBase = 58;
  for (std::uint64_t attempt = 0;; ++attempt) {
    std::uint64_t random = StableHash(base, store_.version() * 64 + attempt);
    std::string suffix;
    for (int i = 0; i < 5; ++i, random /= kAlphabet.size()) {
      suffix += kAlphabet[random % kAlphabet.size()];
    }
    object["metadata"]["name"] = base.substr(0, kMaxBase) + suffix;
    if (store_.Find(kind.plural, KeyOf(object)) == nullptr) return {};
  }
}

Result<Json> FakeVerbs::Create(const FakeRoute& route, const Json& body) {
  const FakeKind& kind = *route.kind;
  if (TextAt(body, {"kind"}) != kind.kind || TextAt(body, {"apiVersion"}) != kind.ApiVersion()) {
    return BadRequest("the object in the body is not a " + kind.kind + " of " + kind.ApiVersion());
  }
  Json object = body;
  const std::string ns = MetaField(object, "namespace");
  if (kind.namespaced) {
    if (route.key.ns.empty()) return MethodNotAllowed("POST");
    if (!ns.empty() && ns != route.key.ns) {
      return BadRequest("the namespace of the object does not match the URL");
    }
    object["metadata"]["namespace"] = route.key.ns;
    DRA_RETURN_IF_ERROR(CheckNamespace(route));
  }
  const std::string name = MetaField(object, "name");
  DRA_RETURN_IF_ERROR(name.empty() ? ChooseName(kind, object) : Result<void>());
  DRA_TRY(Json prepared, PreparedForCreate(kind, std::move(object)));
  // Validation comes first: a bad object under a taken name is 422, not 409.
  if (!name.empty()) DRA_RETURN_IF_ERROR(ChooseName(kind, prepared));
  prepared["metadata"]["uid"] = store_.NewUid();
  prepared["metadata"]["creationTimestamp"] = FormatTime(clock_.WallNow());
  return *store_.Write(kind.plural, std::move(prepared));
}

Result<Json> FakeVerbs::Patch(const FakeRoute& route, const kube::Request& request,
                              const Json& body) {
  const FakeKind& kind = *route.kind;
  const ObjectPtr found = store_.Find(kind.plural, route.key);
  if (found == nullptr) return NotFound(kind.Qualified(), route.key.name);
  const std::string uid = MetaField(*found, "uid");
  const EntryOwners owners = store_.Owners(uid);
  Applied applied;
  const bool apply = request.content_type == "application/apply-patch+yaml";
  if (request.content_type == "application/merge-patch+json") {
    applied.object = MergePatched(*found, body);
  } else if (request.content_type == "application/strategic-merge-patch+json") {
    DRA_TRY(applied.object, StrategicPatched(*found, body));
  } else if (apply) {
    DRA_RETURN_IF_ERROR(CheckApply(kind, route, body));
    if (kind.kind == "Pod") {
      DRA_TRY(applied, PodApplied(*found, body, owners,
                                  {route.Query("fieldManager"), route.IsTrue("force")}));
    } else {
      applied.object = MergePatched(*found, body);
    }
  } else {
    return UnsupportedMediaType(request.content_type);
  }
  const Part part = route.subresource == "status" ? Part::kStatus : Part::kMain;
  DRA_TRY(Json next, PreparedForUpdate(kind, *found, std::move(applied.object), part));
  if (!apply) {
    const std::string manager = route.Query("fieldManager");
    applied.owners = OwnersAfterUpdate(*found, next, owners, manager.empty() ? "unknown" : manager);
  }
  // The owners are part of the real object (managedFields): taking one is a change, too.
  const bool same_owners = applied.owners == owners || (!apply && next == *found);
  if (next == *found && same_owners) return *found;
  if (kind.kind == "Pod") store_.SetOwners(uid, applied.owners);
  return Commit(kind, *found, std::move(next));
}

Json FakeVerbs::Commit(const FakeKind& kind, const Json& old, Json next) {
  const bool ending = !MetaField(old, "deletionTimestamp").empty() && !HasFinalizers(next) &&
                      IntegerOr(At(old, {"metadata", "deletionGracePeriodSeconds"}), 0) == 0;
  if (!ending) return *store_.Write(kind.plural, std::move(next));
  store_.Erase(kind.plural, KeyOf(old));
  return next;
}

Json FakeVerbs::MarkDeleting(const FakeKind& kind, Json object, std::int64_t grace) {
  object["metadata"]["deletionTimestamp"] =
      FormatTime(clock_.WallNow() + std::chrono::seconds(grace));
  object["metadata"]["deletionGracePeriodSeconds"] = grace;
  return *store_.Write(kind.plural, std::move(object));
}

Json FakeVerbs::DeletePod(const Json& pod, const Json& options) {
  const FakeKind& kind = *FindKindByName("Pod");
  const std::string phase = TextAt(pod, {"status", "phase"});
  std::int64_t grace = IntegerOr(At(pod, {"spec", "terminationGracePeriodSeconds"}), kDefaultGrace);
  grace = IntegerOr(At(options, {"gracePeriodSeconds"}), grace);
  const bool nothing_runs =
      TextAt(pod, {"spec", "nodeName"}).empty() || phase == "Succeeded" || phase == "Failed";
  if (nothing_runs) grace = 0;
  if (grace < 0) grace = 1;
  Json current = pod;
  if (MetaField(pod, "deletionTimestamp").empty()) {
    current = MarkDeleting(kind, std::move(current), grace);
  } else {
    const std::int64_t left = IntegerOr(At(pod, {"metadata", "deletionGracePeriodSeconds"}), 0);
    const bool asked = At(options, {"gracePeriodSeconds"}).is_number_integer();
    grace = asked ? std::min(grace, left) : left;  // can only become shorter
    if (grace < left) current = MarkDeleting(kind, std::move(current), grace);
  }
  if (grace == 0 && !HasFinalizers(current)) store_.Erase(kind.plural, KeyOf(current));
  return current;
}

Result<Json> FakeVerbs::Delete(const FakeRoute& route, const Json& options) {
  const FakeKind& kind = *route.kind;
  const ObjectPtr found = store_.Find(kind.plural, route.key);
  if (found == nullptr) return NotFound(kind.Qualified(), route.key.name);
  for (const char* field : {"uid", "resourceVersion"}) {
    const std::string wanted = TextAt(options, {"preconditions", field});
    if (!wanted.empty() && wanted != MetaField(*found, field)) {
      return Conflict(std::string("the precondition on ") + field + " does not hold");
    }
  }
  if (kind.kind == "Pod") return DeletePod(*found, options);
  if (kind.kind == "Namespace") {  // nobody here empties it: it stays as the real one would
    Json ending = *found;
    ending["status"]["phase"] = "Terminating";
    return MetaField(*found, "deletionTimestamp").empty() ? MarkDeleting(kind, ending, 0) : *found;
  }
  if (!HasFinalizers(*found)) {
    store_.Erase(kind.plural, route.key);
    return SuccessStatus(kind, *found);
  }
  if (!MetaField(*found, "deletionTimestamp").empty()) return *found;
  return MarkDeleting(kind, *found, 0);
}

Json FakeVerbs::Put(Json object) {
  const FakeKind* kind = FindKindByName(TextAt(object, {"kind"}));
  if (kind == nullptr) return nullptr;
  object["apiVersion"] = kind->ApiVersion();
  DropEmpty(object);
  const ObjectPtr old = store_.Find(kind->plural, KeyOf(object));
  Json& meta = object["metadata"];
  if (!meta.contains("uid")) {
    meta["uid"] = old == nullptr ? store_.NewUid() : MetaField(*old, "uid");
  }
  if (!meta.contains("creationTimestamp")) {
    meta["creationTimestamp"] =
        old == nullptr ? FormatTime(clock_.WallNow()) : MetaField(*old, "creationTimestamp");
  }
  const bool replaced = old != nullptr && MetaField(*old, "uid") != meta["uid"];
  if (replaced) store_.Erase(kind->plural, KeyOf(object));
  if (kind->kind == "Pod") {
    const std::string uid = meta["uid"];
    const Json before = old == nullptr || replaced ? Json() : *old;
    store_.SetOwners(uid, OwnersAfterUpdate(before, object, store_.Owners(uid), "test"));
  }
  return *store_.Write(kind->plural, std::move(object));
}

}  // namespace dra::test
