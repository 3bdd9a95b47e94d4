// SPDX-License-Identifier: Apache-2.0
//
// DelayedItems: items that become due at a time; each at most once, and the earliest deadline wins.
// An ordered map and not a heap: a deadline can then be moved or cancelled without leaving a dead
// entry behind, so memory is bounded by the number of different items. Not thread-safe.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/clock.h"

namespace dra::queue {

template <class Item>
class DelayedItems {
 public:
  // Due at `deadline`, or earlier if the item has an earlier deadline already.
  void Put(Item item, Clock::Steady deadline) {
    const auto known = places_.find(item);
    if (known != places_.end()) {
      if (known->second->first <= deadline) return;
      by_deadline_.erase(known->second);
      places_.erase(known);
    }
    const auto place = by_deadline_.emplace(deadline, item);
    places_.emplace(std::move(item), place);
  }

  void Cancel(const Item& item) {
    const auto known = places_.find(item);
    if (known == places_.end()) return;
    by_deadline_.erase(known->second);
    places_.erase(known);
  }

  // The next deadline; Steady::max() when nothing waits.
  Clock::Steady Earliest() const {
    return by_deadline_.empty() ? Clock::Steady::max() : by_deadline_.begin()->first;
  }

  struct Due {
    Item item;
    Clock::Steady deadline;
  };

  // Takes one item whose deadline is not after `now`, in order of deadlines.
  std::optional<Due> TakeDue(Clock::Steady now) {
    if (by_deadline_.empty() || by_deadline_.begin()->first > now) return std::nullopt;
    auto node = by_deadline_.extract(by_deadline_.begin());
    places_.erase(node.mapped());
    return Due{std::move(node.mapped()), node.key()};
  }

  void Clear() {
    by_deadline_.clear();
    places_.clear();
  }

  bool empty() const { return by_deadline_.empty(); }
  std::size_t size() const { return by_deadline_.size(); }

 private:
  using ByDeadline = std::multimap<Clock::Steady, Item>;

  // The two hold the same items, and places_[item] is the item's node in by_deadline_. Equal
  // deadlines keep the order in which they were put (multimap inserts at the upper bound).
  ByDeadline by_deadline_;
  std::unordered_map<Item, typename ByDeadline::iterator> places_;
};

}  // namespace dra::queue
