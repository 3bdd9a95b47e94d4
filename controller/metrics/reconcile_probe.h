// SPDX-License-Identifier: Apache-2.0
//
// dra_reconcile_*{controller=...}: how reconciliations end and how long they take.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

namespace dra::metrics {

class Registry;

enum class ReconcileResult { kDone, kRequeue, kConflict, kRetry, kGiveUp };

class ReconcileProbe {
 public:
  ReconcileProbe(Registry& registry, std::string_view controller);
  ~ReconcileProbe();

  // dra_reconcile_total{controller,result}, dra_reconcile_duration_seconds{controller}
  void Reconciled(ReconcileResult result, std::chrono::nanoseconds duration);

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace dra::metrics
