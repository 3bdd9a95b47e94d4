// SPDX-License-Identifier: Apache-2.0
#include "metrics/registry.h"

#include <vector>

#include <prometheus/registry.h>

#include "base/mutex.h"
#include "metrics/text_format.h"

namespace dra::metrics {

struct Registry::Refreshers {
  // Held over a whole scrape: computed gauges come and go, and two scrapes must not undo each
  // other's. Before list_mutex in lock order.
  Mutex scrape_mutex;
  Mutex list_mutex;
  std::vector<std::function<void()>> list GUARDED_BY(list_mutex);
};

Registry::Registry()
    : native_(std::make_shared<prometheus::Registry>()),
      refreshers_(std::make_unique<Refreshers>()) {}

Registry::~Registry() = default;

std::string Registry::Serialize() {
  MutexLock scrape(refreshers_->scrape_mutex);
  std::vector<std::function<void()>> refreshers;
  {
    MutexLock lock(refreshers_->list_mutex);
    refreshers = refreshers_->list;
  }
  for (const auto& refresh : refreshers) refresh();
  return FormatText(native_->Collect());
}

void Registry::OnSerialize(std::function<void()> refresh) {
  MutexLock lock(refreshers_->list_mutex);
  refreshers_->list.push_back(std::move(refresh));
}

}  // namespace dra::metrics
