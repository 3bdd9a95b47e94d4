// SPDX-License-Identifier: Apache-2.0
#include "api/resource_claim.h"

#include <algorithm>

#include "api/decoder.h"

namespace dra::api {
namespace {

std::string Annotation(std::string_view name) {
  return "metadata.annotations['" + std::string(name) + "']";
}

FieldTable<ConsumerReference> ConsumerFields() {
  FieldTable<ConsumerReference> fields;
  fields.String("apiGroup", &ConsumerReference::api_group)
      .String("resource", &ConsumerReference::resource)
      .String("name", &ConsumerReference::name)
      .String("uid", &ConsumerReference::uid);
  return fields;
}

FieldTable<ResourceClaim> ClaimFields() {
  FieldTable<ResourceClaim> fields;
  fields.Object("metadata", &ResourceClaim::meta, Fields<ObjectMeta>())
      .String(Annotation(kPodClaimNameAnnotation), &ResourceClaim::pod_claim_name)
      .String(
          Annotation(kExtendedResourceAnnotation),
          [](ResourceClaim& claim, const std::string& value) { claim.extended = value == "true"; })
      .Bool("spec.devices.requests[].exactly.adminAccess",
            [](ResourceClaim& claim, bool value) { claim.admin_access |= value; })
      .Present("status.allocation", &ResourceClaim::allocated)
      .List("status.reservedFor", &ResourceClaim::reserved_for, ConsumerFields());
  return fields;
}

}  // namespace

template <>
const FieldTable<ResourceClaim>& Fields<ResourceClaim>() {
  static const FieldTable<ResourceClaim> fields = ClaimFields();
  return fields;
}

bool ResourceClaim::ReservedFor(std::string_view uid) const {
  return std::any_of(reserved_for.begin(), reserved_for.end(),
                     [&](const ConsumerReference& consumer) { return consumer.uid == uid; });
}

}  // namespace dra::api
