// SPDX-License-Identifier: Apache-2.0
//
// What the claim controller counts. The first two are upstream's (1.37 names, labels and values),
// so that dashboards for kube-controller-manager go on working; the rest starts with dra_.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

namespace dra::metrics {

class Registry;

// Labels of dynamic_resource_allocation_resource_claims.
struct ClaimCategory {
  bool allocated = false;
  bool admin_access = false;
  std::string source;  // "resource_claim_template", "extended_resource" or ""

  auto operator<=>(const ClaimCategory&) const = default;
};

enum class ClaimWrite {
  kCreate,
  kPodStatus,
  kReserve,
  kRelease,
  kDeallocate,
  kRemoveFinalizer,
  kDelete
};
enum class WriteResult { kOk, kConflict, kForbidden, kInvalid, kError };

class ClaimProbe {
 public:
  explicit ClaimProbe(Registry& registry);
  ~ClaimProbe();

  // dynamic_resource_allocation_resourceclaim_creates_total{status,admin_access,owner_api_group,owner_api_kind}
  void CreateRequest(bool success, bool admin_access, std::string_view owner_group,
                     std::string_view owner_kind);

  // dynamic_resource_allocation_resource_claims{allocated,admin_access,source}: asked for at each
  // scrape; only non-zero series are shown, as upstream does.
  void SetCensus(std::function<std::map<ClaimCategory, std::size_t>()> census);

  // dra_pod_claim_latency_seconds: from the pod's creation (the server's clock, whole seconds) to
  // the write of its complete claim statuses. dra_claim_write_duration... is in rest_client_*.
  void PodServed(std::chrono::nanoseconds since_creation);
  // dra_pod_claim_observed_latency_seconds: the same from the moment our watch showed the pod (no
  // clock skew, no rounding).
  void PodServedSinceSeen(std::chrono::nanoseconds since_seen);

  // dra_claim_writes_total{operation,result}
  void Write(ClaimWrite operation, WriteResult result);

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace dra::metrics
