// SPDX-License-Identifier: Apache-2.0
//
// The API resources that the product talks to, and the paths under which the server serves them.
#pragma once

#include <string>
#include <string_view>

#include "api/object_key.h"

namespace dra::kube {

struct Resource {
  std::string_view group;  // empty: core
  std::string_view version;
  std::string_view plural;
  std::string_view kind;
  bool namespaced = true;

  // "v1" or "group/v1", as objects carry it.
  std::string ApiVersion() const;
  // "/api/v1/namespaces/ns/pods" or "/apis/...": of the collection; an empty `ns` means all
  // namespaces.
  std::string CollectionPath(std::string_view ns) const;
  // The path of one object, or of its subresource ("status") when that is not empty.
  std::string ObjectPath(const api::ObjectKey& key, std::string_view subresource = {}) const;

  bool operator==(const Resource&) const = default;
};

inline constexpr Resource kPods{"", "v1", "pods", "Pod"};
inline constexpr Resource kEvents{"", "v1", "events", "Event"};
inline constexpr Resource kResourceClaims{"resource.k8s.io", "v1", "resourceclaims",
                                          "ResourceClaim"};
inline constexpr Resource kResourceClaimTemplates{"resource.k8s.io", "v1", "resourceclaimtemplates",
                                                  "ResourceClaimTemplate"};

}  // namespace dra::kube
