// SPDX-License-Identifier: Apache-2.0
//
// Census: how many claims of each category the mirror holds, kept up to date by the claim events
// instead of walking all claims at each scrape (W42). Thread-safe.
#pragma once

#include <map>

#include "base/mutex.h"
#include "claims/pod_view.h"
#include "metrics/claim_probe.h"

namespace dra::claims {

class Census {
 public:
  // `old` null: added; `now` null: gone.
  void Changed(const ClaimPtr& old, const ClaimPtr& now);

  // Categories without claims are left out.
  std::map<metrics::ClaimCategory, std::size_t> Counts() const;

 private:
  mutable Mutex mutex_;
  std::map<metrics::ClaimCategory, std::size_t> counts_ GUARDED_BY(mutex_);  // no zero entries
};

// Upstream's rule for the `source` label: the extended-resource annotation wins over
// pod-claim-name.
metrics::ClaimCategory CategoryOf(const api::ResourceClaim& claim);

}  // namespace dra::claims
