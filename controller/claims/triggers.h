// SPDX-License-Identifier: Apache-2.0
//
// Triggers: which items a change of an object is work for. Reads the mirrors, does no I/O, costs
// O(affected objects). Runs on the reflector threads; the events of one object come in order, those
// of different kinds in any order, so each side evaluates the other again.
#pragma once

#include <functional>
#include <vector>

#include "claims/mirrors.h"
#include "claims/work_item.h"

namespace dra::claims {

class Triggers {
 public:
  explicit Triggers(const Mirrors& mirrors) : mirrors_(mirrors) {}

  // `old` null: added; `now` null: gone. Never both.
  std::vector<WorkItem> OnPod(const PodPtr& old, const PodPtr& now) const;
  std::vector<WorkItem> OnClaim(const ClaimPtr& old, const ClaimPtr& now) const;
  std::vector<WorkItem> OnTemplate(const TemplatePtr& old, const TemplatePtr& now) const;

 private:
  void EvaluatePod(const api::Pod& pod, std::string_view reason,
                   std::vector<WorkItem>& items) const;
  void ReleaseClaimsOf(const api::Pod& pod, std::string_view reason,
                       std::vector<WorkItem>& items) const;

  const Mirrors& mirrors_;
};

}  // namespace dra::claims
