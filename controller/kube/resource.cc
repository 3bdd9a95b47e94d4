// SPDX-License-Identifier: Apache-2.0
#include "kube/resource.h"

#include "base/strings.h"

namespace dra::kube {

std::string Resource::ApiVersion() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::string Resource::CollectionPath(std::string_view ns) const {
  std::string path = (group.empty() ? "/api/" : "/apis/") + ApiVersion();
  if (namespaced && !ns.empty()) path += "/namespaces/" + UrlEncode(ns);
  return path + "/" + std::string(plural);
}

std::string Resource::ObjectPath(const api::ObjectKey& key, std::string_view subresource) const {
  std::string path = CollectionPath(key.ns) + "/" + UrlEncode(key.name);
  if (!subresource.empty()) path += "/" + std::string(subresource);
  return path;
}

}  // namespace dra::kube
