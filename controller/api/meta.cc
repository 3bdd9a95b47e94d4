// SPDX-License-Identifier: Apache-2.0
#include "api/meta.h"

#include <algorithm>

#include "api/decoder.h"

namespace dra::api {
namespace {

FieldTable<OwnerReference> OwnerFields() {
  FieldTable<OwnerReference> fields;
  fields.String("apiVersion", &OwnerReference::api_version)
      .String("kind", &OwnerReference::kind)
      .String("name", &OwnerReference::name)
      .String("uid", &OwnerReference::uid)
      .Bool("controller", &OwnerReference::controller);
  return fields;
}

FieldTable<ObjectMeta> MetaFields() {
  FieldTable<ObjectMeta> fields;
  fields.String("namespace", &ObjectMeta::ns)
      .String("name", &ObjectMeta::name)
      .String("uid", &ObjectMeta::uid)
      .String("resourceVersion", &ObjectMeta::resource_version)
      .String("creationTimestamp", &ObjectMeta::creation_timestamp)
      .String("deletionTimestamp", &ObjectMeta::deletion_timestamp)
      .Strings("finalizers", &ObjectMeta::finalizers)
      .List("ownerReferences", &ObjectMeta::owners, OwnerFields());
  return fields;
}

}  // namespace

template <>
const FieldTable<ObjectMeta>& Fields<ObjectMeta>() {
  static const FieldTable<ObjectMeta> fields = MetaFields();
  return fields;
}

bool ResourceVersion::comparable() const {
  if (text_.empty() || text_.front() == '0') return false;
  return std::all_of(text_.begin(), text_.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool ResourceVersion::AtLeast(const ResourceVersion& other) const {
  if (!other.comparable()) return true;
  if (!comparable()) return false;
  if (text_.size() != other.text_.size()) return text_.size() > other.text_.size();
  return text_ >= other.text_;
}

bool ObjectMeta::HasFinalizer(std::string_view finalizer) const {
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

const OwnerReference* ObjectMeta::Controller() const {
  const auto found = std::find_if(owners.begin(), owners.end(),
                                  [](const OwnerReference& owner) { return owner.controller; });
  return found == owners.end() ? nullptr : &*found;
}

}  // namespace dra::api
