// SPDX-License-Identifier: Apache-2.0
#include "api/patch.h"

#include <map>

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "base/time.h"

namespace dra::api {
namespace {

// Keeps the order in which members are added, so that the bodies read like their builders.
using Json = nlohmann::ordered_json;

constexpr std::string_view kClaimApiVersion = "resource.k8s.io/v1";

// dump() with the default handler throws at bytes that are not UTF-8.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

// `text` with what is not UTF-8 replaced, as Dump would; for texts whose length is limited.
std::string ValidText(std::string_view text) {
  return Json::parse(Dump(Json(text))).get<std::string>();
}

Json AtVersion(std::string_view uid, std::string_view resource_version) {
  return {{"uid", uid}, {"resourceVersion", resource_version}};
}

Json ConsumerJson(const ConsumerReference& consumer) {
  Json json = Json::object();
  if (!consumer.api_group.empty()) json["apiGroup"] = consumer.api_group;
  json["resource"] = consumer.resource;
  json["name"] = consumer.name;
  json["uid"] = consumer.uid;
  return json;
}

Json ClaimAnnotations(const ResourceClaimTemplate& from, const std::string& entry) {
  Json annotations = Json::parse(from.annotations_json, nullptr, /*allow_exceptions=*/false);
  if (!annotations.is_object()) annotations = Json::object();
  annotations[std::string(kPodClaimNameAnnotation)] = entry;
  return annotations;
}

Json ObjectReferenceJson(const ObjectReference& about) {
  Json json = {{"apiVersion", about.api_version}, {"kind", about.kind}};
  if (!about.ns.empty()) json["namespace"] = about.ns;
  json["name"] = about.name;
  json["uid"] = about.uid;
  if (!about.resource_version.empty()) json["resourceVersion"] = about.resource_version;
  return json;
}

}  // namespace

std::string GeneratedClaimBody(const GeneratedClaim& claim) {
  const ObjectMeta& owner = claim.owner.meta;
  const Json metadata = {{"name", claim.name},
                         {"generateName", claim.generate_name},
                         {"namespace", owner.ns},
                         {"annotations", ClaimAnnotations(claim.from, claim.entry)},
                         {"ownerReferences", Json::array({{{"apiVersion", "v1"},
                                                           {"kind", "Pod"},
                                                           {"name", owner.name},
                                                           {"uid", owner.uid},
                                                           {"controller", true}}})}};
  std::string body = Dump({{"apiVersion", kClaimApiVersion}, {"kind", "ResourceClaim"}});
  body.back() = ',';  // the closing brace: raw text follows that the library must not touch
  body += "\"metadata\":" + Dump(metadata);
  if (!claim.from.labels_json.empty()) {
    body.back() = ',';
    body += "\"labels\":" + claim.from.labels_json + "}";
  }
  body += ",\"spec\":" + (claim.from.spec_json.empty() ? "{}" : claim.from.spec_json) + "}";
  return body;
}

std::string PodClaimStatusesApply(const Pod& pod, const std::vector<PodClaimStatus>& statuses) {
  std::map<std::string, std::string> names;
  for (const PodClaimStatus& status : statuses) {
    if (status.claim_name) names[status.name] = *status.claim_name;
  }
  Json list = Json::array();
  for (const auto& [entry, claim] : names) {
    list.push_back({{"name", entry}, {"resourceClaimName", claim}});
  }
  return Dump(
      {{"apiVersion", "v1"},
       {"kind", "Pod"},
       {"metadata", {{"name", pod.meta.name}, {"namespace", pod.meta.ns}, {"uid", pod.meta.uid}}},
       {"status", {{"resourceClaimStatuses", std::move(list)}}}});
}

std::string ReserveConsumer(const ResourceClaim& claim, const ConsumerReference& consumer) {
  return Dump({{"metadata", AtVersion(claim.meta.uid, claim.meta.resource_version.text())},
               {"status", {{"reservedFor", Json::array({ConsumerJson(consumer)})}}}});
}

std::string ReleaseConsumers(const ResourceClaim& claim,
                             const std::vector<ConsumerReference>& drop) {
  Json list = Json::array();
  for (const ConsumerReference& consumer : drop) {
    list.push_back({{"$patch", "delete"}, {"uid", consumer.uid}});
  }
  return Dump(
      {{"metadata", {{"uid", claim.meta.uid}}}, {"status", {{"reservedFor", std::move(list)}}}});
}

std::string ReleaseAll(const ResourceClaim& claim, bool deallocate) {
  Json status = {{"reservedFor", nullptr}};
  if (deallocate) status["allocation"] = nullptr;
  return Dump({{"metadata", AtVersion(claim.meta.uid, claim.meta.resource_version.text())},
               {"status", std::move(status)}});
}

std::string RemoveFinalizer(std::string_view uid, std::string_view resource_version,
                            const std::vector<std::string>& remaining) {
  Json metadata = AtVersion(uid, resource_version);
  metadata["finalizers"] = remaining.empty() ? Json(nullptr) : Json(remaining);
  return Dump({{"metadata", std::move(metadata)}});
}

std::string DeleteOptionsBody(std::string_view uid, std::string_view resource_version) {
  Json preconditions = Json::object();
  if (!uid.empty()) preconditions["uid"] = uid;
  if (!resource_version.empty()) preconditions["resourceVersion"] = resource_version;
  return Dump({{"apiVersion", "v1"},
               {"kind", "DeleteOptions"},
               {"preconditions", std::move(preconditions)}});
}

std::string EventBody(const EventData& event) {
  return Dump({{"apiVersion", "v1"},
               {"kind", "Event"},
               {"metadata", {{"name", event.name}, {"namespace", event.ns}}},
               {"involvedObject", ObjectReferenceJson(event.about)},
               {"reason", event.reason},
               {"message", Truncate(ValidText(event.message), kMaxEventMessage)},
               {"type", event.type},
               {"count", event.count},
               {"firstTimestamp", FormatTime(event.first)},
               {"lastTimestamp", FormatTime(event.last)},
               {"source", {{"component", event.component}}},
               {"reportingComponent", event.component},
               {"reportingInstance", event.instance}});
}

std::string EventCountPatch(int count, Clock::Wall last) {
  return Dump({{"count", count}, {"lastTimestamp", FormatTime(last)}});
}

}  // namespace dra::api
