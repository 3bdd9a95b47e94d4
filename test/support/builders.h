// SPDX-License-Identifier: Apache-2.0
//
// Builders of API objects for tests, as JSON that both the fake and a real API server take:
//
//   PodBuilder{"ns", "p"}.Entry("gpu").Template("one-gpu").OnNode("n1").Phase("Succeeded")
//   ClaimBuilder{"ns", "c"}.Allocated().Reserved("p", uid).Finalizer()
//
// What is not asked for has the smallest valid value. They convert to Json, and Decoded() gives the
// product's struct.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/resource_claim_template.h"

namespace dra::test {

using Json = nlohmann::json;

// What all of them have. `Derived` is the builder itself, so that calls can be chained in any
// order.
template <class Derived>
class ObjectBuilder {
 public:
  Derived& Uid(const std::string& uid) { return Meta("uid", uid); }
  Derived& ResourceVersion(const std::string& version) { return Meta("resourceVersion", version); }
  Derived& Created(const std::string& time) { return Meta("creationTimestamp", time); }
  Derived& GenerateName(const std::string& base) { return Meta("generateName", base); }
  Derived& Label(const std::string& key, const std::string& value) {
    object_["metadata"]["labels"][key] = value;
    return self();
  }
  Derived& Annotation(const std::string& key, const std::string& value) {
    object_["metadata"]["annotations"][key] = value;
    return self();
  }
  Derived& Finalizer(const std::string& finalizer) {
    object_["metadata"]["finalizers"].push_back(finalizer);
    return self();
  }
  // As it is while a deletion waits for finalizers or for the kubelet. Worlds understand it: they
  // delete the object after its creation.
  Derived& Deleting(const std::string& since = "2026-12-01T00:00:00Z", int grace = 0) {
    Meta("deletionTimestamp", since);
    return Meta("deletionGracePeriodSeconds", grace);
  }
  Derived& Owner(const std::string& api_version, const std::string& kind, const std::string& name,
                 const std::string& uid) {
    object_["metadata"]["ownerReferences"].push_back({{"apiVersion", api_version},
                                                      {"kind", kind},
                                                      {"name", name},
                                                      {"uid", uid},
                                                      {"controller", true}});
    return self();
  }

  const Json& json() const { return object_; }
  operator Json() const { return object_; }  // NOLINT: implicit on purpose
  std::string Text() const { return object_.dump(); }

 protected:
  ObjectBuilder(const char* api_version, const char* kind, const std::string& ns,
                const std::string& name) {
    object_ = {{"apiVersion", api_version}, {"kind", kind}, {"metadata", {{"name", name}}}};
    if (!ns.empty()) object_["metadata"]["namespace"] = ns;
  }
  Derived& self() { return static_cast<Derived&>(*this); }
  Derived& Meta(const char* field, Json value) {
    object_["metadata"][field] = std::move(value);
    return self();
  }

  Json object_;
};

class PodBuilder : public ObjectBuilder<PodBuilder> {
 public:
  PodBuilder(const std::string& ns, const std::string& name);

  // Adds an entry to spec.resourceClaims; Template or Claim says what it refers to.
  PodBuilder& Entry(const std::string& entry);
  PodBuilder& Template(const std::string& name);
  PodBuilder& Claim(const std::string& name);
  // status.resourceClaimStatuses: this entry got that claim; an empty name: it needs none.
  PodBuilder& Status(const std::string& entry, const std::string& claim);
  // A container that asks for an extended resource, and the claim that the scheduler made for it.
  PodBuilder& ExtendedClaim(const std::string& claim);
  PodBuilder& OnNode(const std::string& node);
  PodBuilder& Phase(const std::string& phase);
  PodBuilder& Gate(const std::string& gate);
  PodBuilder& Group(const std::string& pod_group);

  api::Pod Decoded() const;
};

class ClaimBuilder : public ObjectBuilder<ClaimBuilder> {
 public:
  ClaimBuilder(const std::string& ns, const std::string& name);

  // As the product and upstream generate it: the owner and the annotation with the entry's name.
  ClaimBuilder& OwnedBy(const std::string& pod, const std::string& uid, const std::string& entry);
  ClaimBuilder& OwnedBy(const Json& pod, const std::string& entry);
  ClaimBuilder& Extended();
  ClaimBuilder& AdminAccess();
  // With the finalizer, as the scheduler leaves it.
  ClaimBuilder& Allocated(const std::string& device = "gpu-0");
  ClaimBuilder& AllocatedWithoutFinalizer(const std::string& device = "gpu-0");
  ClaimBuilder& Protected();  // the finalizer alone
  ClaimBuilder& Reserved(const std::string& pod, const std::string& uid);
  ClaimBuilder& Reserved(const Json& pod);
  ClaimBuilder& ReservedFor(const std::string& group, const std::string& resource,
                            const std::string& name, const std::string& uid);
  ClaimBuilder& DeviceStatus(const std::string& device);

  api::ResourceClaim Decoded() const;
};

class TemplateBuilder : public ObjectBuilder<TemplateBuilder> {
 public:
  TemplateBuilder(const std::string& ns, const std::string& name);

  // Of the claims made from it.
  TemplateBuilder& ClaimLabel(const std::string& key, const std::string& value);
  TemplateBuilder& ClaimAnnotation(const std::string& key, const std::string& value);
  TemplateBuilder& AdminAccess();

  api::ResourceClaimTemplate Decoded() const;
};

// The smallest valid claim spec: one device of one class, request "gpu".
Json OneGpuSpec();
// status.allocation of one device for OneGpuSpec.
Json AllocationOf(const std::string& device);

}  // namespace dra::test
