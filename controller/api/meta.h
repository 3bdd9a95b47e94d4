// SPDX-License-Identifier: Apache-2.0
//
// What every object carries: the part of metav1.ObjectMeta that decisions are made from.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object_key.h"
#include "base/clock.h"

namespace dra::api {

// metadata.resourceVersion. Opaque but for equality and, per resource type, order: versions are
// decimal numbers, compared by length and then by digits so that no size overflows (apimachinery,
// util/resourceversion). Anything that is not such a number is "not comparable": older than
// everything.
class ResourceVersion {
 public:
  ResourceVersion() = default;
  explicit ResourceVersion(std::string text) : text_(std::move(text)) {}

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

  // Positive decimal without leading zero. "0" and "" are not: they name no version.
  bool comparable() const;

  // Versions must belong to the same resource type, or to resources of one etcd.
  bool AtLeast(const ResourceVersion& other) const;

  bool operator==(const ResourceVersion&) const = default;

 private:
  std::string text_;
};

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;

  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string ns;
  std::string name;
  std::string uid;
  ResourceVersion resource_version;
  std::string creation_timestamp;  // RFC 3339, as sent
  std::optional<std::string> deletion_timestamp;
  std::vector<std::string> finalizers;
  std::vector<OwnerReference> owners;

  ObjectKey key() const { return {ns, name}; }
  bool deleting() const { return deletion_timestamp.has_value(); }
  bool HasFinalizer(std::string_view finalizer) const;

  // The first owner reference with controller: true, or null; the one that upstream looks at.
  const OwnerReference* Controller() const;
};

}  // namespace dra::api
