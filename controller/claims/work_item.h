// SPDX-License-Identifier: Apache-2.0
//
// WorkItem: what the claim controller reconciles. An item names an object and nothing of what
// happened to it; the reason is for logs and does not count in equality, so items still merge in
// the queue.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "api/object_key.h"

namespace dra::claims {

// Generate the pod's claims, record their names, reserve them.
struct PodItem {
  api::ObjectKey key;
  bool operator==(const PodItem&) const = default;
};

// Release consumers that are gone, deallocate, remove the finalizer, delete.
struct ClaimItem {
  api::ObjectKey key;
  bool operator==(const ClaimItem&) const = default;
};

struct WorkItem {
  std::variant<PodItem, ClaimItem> target;
  std::string_view reason;  // a literal

  const api::ObjectKey& key() const {
    return std::visit([](const auto& item) -> const api::ObjectKey& { return item.key; }, target);
  }
  bool operator==(const WorkItem& other) const { return target == other.target; }
};

// One namespace's burst does not delay another's items (queue/work_queue.h).
inline const std::string& FairnessKey(const WorkItem& item) { return item.key().ns; }

// "pod ns/name" or "claim ns/name".
inline std::string Describe(const WorkItem& item) {
  const bool pod = std::holds_alternative<PodItem>(item.target);
  return (pod ? "pod " : "claim ") + item.key().ToString();
}

inline WorkItem ForPod(api::ObjectKey key, std::string_view reason) {
  return {PodItem{std::move(key)}, reason};
}
inline WorkItem ForClaim(api::ObjectKey key, std::string_view reason) {
  return {ClaimItem{std::move(key)}, reason};
}

}  // namespace dra::claims

template <>
struct std::hash<dra::claims::WorkItem> {
  std::size_t operator()(const dra::claims::WorkItem& item) const noexcept {
    return std::hash<dra::api::ObjectKey>{}(item.key()) * 31 + item.target.index();
  }
};
