// SPDX-License-Identifier: Apache-2.0
#include "api/resource_claim_template.h"

#include "api/decoder.h"

namespace dra::api {
namespace {

FieldTable<ResourceClaimTemplate> TemplateFields() {
  using Template = ResourceClaimTemplate;
  FieldTable<Template> fields;
  fields.Object("metadata", &Template::meta, Fields<ObjectMeta>())
      .Raw("spec.metadata.labels", JsonType::kMap, &Template::labels_json)
      .Raw("spec.metadata.annotations", JsonType::kMap, &Template::annotations_json)
      .Raw("spec.spec", JsonType::kObject, &Template::spec_json)
      .Bool("spec.spec.devices.requests[].exactly.adminAccess",
            [](Template& object, bool value) { object.admin_access |= value; });
  return fields;
}

}  // namespace

template <>
const FieldTable<ResourceClaimTemplate>& Fields<ResourceClaimTemplate>() {
  static const FieldTable<ResourceClaimTemplate> fields = TemplateFields();
  return fields;
}

}  // namespace dra::api
