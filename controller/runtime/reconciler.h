// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "runtime/outcome.h"

namespace dra::runtime {

// Brings the world one item closer to what it should be. Called by many threads, but by at most one
// for equal items at a time. Level-driven: what the item's event was does not matter, only what is
// now.
template <class Item>
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual Outcome Reconcile(const Item& item, const std::stop_token& stop) = 0;
};

}  // namespace dra::runtime
