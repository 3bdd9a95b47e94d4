// SPDX-License-Identifier: Apache-2.0
#include "claims/census.h"

namespace dra::claims {

metrics::ClaimCategory CategoryOf(const api::ResourceClaim& claim) {
  std::string source;
  if (claim.extended) {
    source = "extended_resource";
  } else if (claim.pod_claim_name && !claim.pod_claim_name->empty()) {
    source = "resource_claim_template";
  }
  return {claim.allocated, claim.admin_access, std::move(source)};
}

void Census::Changed(const ClaimPtr& old, const ClaimPtr& now) {
  MutexLock lock(mutex_);
  if (old != nullptr) {
    const auto found = counts_.find(CategoryOf(*old));
    if (found != counts_.end() && --found->second == 0) counts_.erase(found);
  }
  if (now != nullptr) ++counts_[CategoryOf(*now)];
}

std::map<metrics::ClaimCategory, std::size_t> Census::Counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

}  // namespace dra::claims
