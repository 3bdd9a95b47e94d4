// SPDX-License-Identifier: Apache-2.0
#include "api/pod.h"

#include <algorithm>

#include "api/decoder.h"

namespace dra::api {
namespace {

FieldTable<PodClaimEntry> EntryFields() {
  FieldTable<PodClaimEntry> fields;
  fields.String("name", &PodClaimEntry::name)
      .String("resourceClaimName", &PodClaimEntry::claim_name)
      .String("resourceClaimTemplateName", &PodClaimEntry::template_name);
  return fields;
}

FieldTable<PodClaimStatus> StatusFields() {
  FieldTable<PodClaimStatus> fields;
  fields.String("name", &PodClaimStatus::name)
      .String("resourceClaimName", &PodClaimStatus::claim_name);
  return fields;
}

FieldTable<Pod> PodFields() {
  FieldTable<Pod> fields;
  fields.Object("metadata", &Pod::meta, Fields<ObjectMeta>())
      .String("spec.nodeName", &Pod::node_name)
      .String("spec.schedulerName", &Pod::scheduler_name)
      .List("spec.resourceClaims", &Pod::claims, EntryFields())
      .String("spec.schedulingGroup.podGroupName", &Pod::pod_group)
      .String("status.phase", &Pod::phase)
      .List("status.resourceClaimStatuses", &Pod::claim_statuses, StatusFields())
      .String("status.extendedResourceClaimStatus.resourceClaimName", &Pod::extended_claim);
  return fields;
}

}  // namespace

template <>
const FieldTable<Pod>& Fields<Pod>() {
  static const FieldTable<Pod> fields = PodFields();
  return fields;
}

const PodClaimStatus* Pod::FindStatus(std::string_view entry) const {
  const auto found =
      std::find_if(claim_statuses.begin(), claim_statuses.end(),
                   [&](const PodClaimStatus& status) { return status.name == entry; });
  return found == claim_statuses.end() ? nullptr : &*found;
}

}  // namespace dra::api
