// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

namespace dra::api {

// Identifies an object of a known kind in a cluster at one time. Cluster-scoped kinds have an empty
// namespace. A name can be reused by a later object: what must not confuse the two also compares
// UIDs.
struct ObjectKey {
  std::string ns;
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;

  // "namespace/name", or "name" for cluster-scoped objects.
  std::string ToString() const { return ns.empty() ? name : ns + "/" + name; }
};

}  // namespace dra::api

template <>
struct std::hash<dra::api::ObjectKey> {
  std::size_t operator()(const dra::api::ObjectKey& key) const noexcept {
    const std::size_t ns = std::hash<std::string>{}(key.ns);
    return ns ^
           (std::hash<std::string>{}(key.name) + 0x9E3779B97F4A7C15ULL + (ns << 6U) + (ns >> 2U));
  }
};
