// SPDX-License-Identifier: Apache-2.0
#include "support/builders.h"

#include <stdexcept>

#include "api/decoder.h"

namespace dra::test {
namespace {

template <class T>
T DecodedOrThrow(const Json& object) {
  api::Decoder decoder;
  auto decoded = decoder.Decode<T>(object.dump());
  // A builder that makes something undecodable is a broken test; gtest reports the exception.
  if (!decoded.ok()) throw std::logic_error(decoded.error().Describe());
  return *std::move(decoded);
}

}  // namespace

Json OneGpuSpec() {
  Json request = {{"name", "gpu"}, {"exactly", {{"deviceClassName", "gpu.example.com"}}}};
  return {{"devices", {{"requests", Json::array({std::move(request)})}}}};
}

Json AllocationOf(const std::string& device) {
  Json result = {
      {"request", "gpu"}, {"driver", "gpu.example.com"}, {"pool", "n1"}, {"device", device}};
  return {{"devices", {{"results", Json::array({std::move(result)})}}}};
}

PodBuilder::PodBuilder(const std::string& ns, const std::string& name)
    : ObjectBuilder("v1", "Pod", ns, name) {
  object_["spec"]["containers"] = Json::array({{{"name", "main"}, {"image", "none"}}});
}

PodBuilder& PodBuilder::Entry(const std::string& entry) {
  object_["spec"]["resourceClaims"].push_back({{"name", entry}});
  return *this;
}

PodBuilder& PodBuilder::Template(const std::string& name) {
  object_["spec"]["resourceClaims"].back()["resourceClaimTemplateName"] = name;
  return *this;
}

PodBuilder& PodBuilder::Claim(const std::string& name) {
  object_["spec"]["resourceClaims"].back()["resourceClaimName"] = name;
  return *this;
}

PodBuilder& PodBuilder::Status(const std::string& entry, const std::string& claim) {
  Json status = {{"name", entry}};
  if (!claim.empty()) status["resourceClaimName"] = claim;
  object_["status"]["resourceClaimStatuses"].push_back(std::move(status));
  return *this;
}

PodBuilder& PodBuilder::ExtendedClaim(const std::string& claim) {
  const Json amount = {{"example.com/gpu", "1"}};
  object_["spec"]["containers"][0]["resources"] = {{"requests", amount}, {"limits", amount}};
  object_["status"]["extendedResourceClaimStatus"] = {
      {"resourceClaimName", claim},
      {"requestMappings", Json::array({{{"containerName", "main"},
                                        {"resourceName", "example.com/gpu"},
                                        {"requestName", "gpu"}}})}};
  return *this;
}

PodBuilder& PodBuilder::OnNode(const std::string& node) {
  object_["spec"]["nodeName"] = node;
  return *this;
}

PodBuilder& PodBuilder::Phase(const std::string& phase) {
  object_["status"]["phase"] = phase;
  return *this;
}

PodBuilder& PodBuilder::Gate(const std::string& gate) {
  object_["spec"]["schedulingGates"].push_back({{"name", gate}});
  return *this;
}

PodBuilder& PodBuilder::Group(const std::string& pod_group) {
  object_["spec"]["schedulingGroup"]["podGroupName"] = pod_group;
  return *this;
}

api::Pod PodBuilder::Decoded() const { return DecodedOrThrow<api::Pod>(object_); }

ClaimBuilder::ClaimBuilder(const std::string& ns, const std::string& name)
    : ObjectBuilder("resource.k8s.io/v1", "ResourceClaim", ns, name) {
  object_["spec"] = OneGpuSpec();
}

ClaimBuilder& ClaimBuilder::OwnedBy(const std::string& pod, const std::string& uid,
                                    const std::string& entry) {
  Annotation(std::string(api::kPodClaimNameAnnotation), entry);
  return Owner("v1", "Pod", pod, uid);
}

ClaimBuilder& ClaimBuilder::OwnedBy(const Json& pod, const std::string& entry) {
  return OwnedBy(pod.at("metadata").at("name").get<std::string>(),
                 pod.at("metadata").at("uid").get<std::string>(), entry);
}

ClaimBuilder& ClaimBuilder::Extended() {
  return Annotation(std::string(api::kExtendedResourceAnnotation), "true");
}

ClaimBuilder& ClaimBuilder::AdminAccess() {
  object_["spec"]["devices"]["requests"][0]["exactly"]["adminAccess"] = true;
  return *this;
}

ClaimBuilder& ClaimBuilder::Allocated(const std::string& device) {
  return AllocatedWithoutFinalizer(device).Protected();
}

ClaimBuilder& ClaimBuilder::AllocatedWithoutFinalizer(const std::string& device) {
  object_["status"]["allocation"] = AllocationOf(device);
  return *this;
}

ClaimBuilder& ClaimBuilder::Protected() { return Finalizer(std::string(api::kClaimFinalizer)); }

ClaimBuilder& ClaimBuilder::Reserved(const std::string& pod, const std::string& uid) {
  return ReservedFor("", "pods", pod, uid);
}

ClaimBuilder& ClaimBuilder::Reserved(const Json& pod) {
  return Reserved(pod.at("metadata").at("name").get<std::string>(),
                  pod.at("metadata").at("uid").get<std::string>());
}

ClaimBuilder& ClaimBuilder::ReservedFor(const std::string& group, const std::string& resource,
                                        const std::string& name, const std::string& uid) {
  Json consumer = {{"resource", resource}, {"name", name}, {"uid", uid}};
  if (!group.empty()) consumer["apiGroup"] = group;
  object_["status"]["reservedFor"].push_back(std::move(consumer));
  return *this;
}

ClaimBuilder& ClaimBuilder::DeviceStatus(const std::string& device) {
  object_["status"]["devices"].push_back(
      {{"driver", "gpu.example.com"}, {"pool", "n1"}, {"device", device}});
  return *this;
}

api::ResourceClaim ClaimBuilder::Decoded() const {
  return DecodedOrThrow<api::ResourceClaim>(object_);
}

TemplateBuilder::TemplateBuilder(const std::string& ns, const std::string& name)
    : ObjectBuilder("resource.k8s.io/v1", "ResourceClaimTemplate", ns, name) {
  object_["spec"]["spec"] = OneGpuSpec();
}

TemplateBuilder& TemplateBuilder::ClaimLabel(const std::string& key, const std::string& value) {
  object_["spec"]["metadata"]["labels"][key] = value;
  return *this;
}

TemplateBuilder& TemplateBuilder::ClaimAnnotation(const std::string& key,
                                                  const std::string& value) {
  object_["spec"]["metadata"]["annotations"][key] = value;
  return *this;
}

TemplateBuilder& TemplateBuilder::AdminAccess() {
  object_["spec"]["spec"]["devices"]["requests"][0]["exactly"]["adminAccess"] = true;
  return *this;
}

api::ResourceClaimTemplate TemplateBuilder::Decoded() const {
  return DecodedOrThrow<api::ResourceClaimTemplate>(object_);
}

}  // namespace dra::test
