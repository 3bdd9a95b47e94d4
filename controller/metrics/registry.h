// SPDX-License-Identifier: Apache-2.0
//
// Registry: all metrics of the process and their text form. Business code never sees it: each
// component has a probe (this folder) that owns its metrics, and takes numbers and enums only.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace prometheus {
class Registry;
}

namespace dra::metrics {

class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Prometheus text format 0.0.4 of everything, after running the collectors. Thread-safe.
  std::string Serialize();

  // `refresh` runs at the start of each Serialize, for gauges that are computed and not counted. It
  // must outlive the registry and must not block.
  void OnSerialize(std::function<void()> refresh);

  prometheus::Registry& native() { return *native_; }

 private:
  std::shared_ptr<prometheus::Registry> native_;
  struct Refreshers;
  std::unique_ptr<Refreshers> refreshers_;
};

}  // namespace dra::metrics
