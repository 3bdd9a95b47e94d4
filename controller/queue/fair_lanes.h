// SPDX-License-Identifier: Apache-2.0
//
// FairLanes: a waiting line with one lane per fairness key (the namespace), served round robin, so
// that ten thousand items of one namespace delay those of another by one item and not by ten
// thousand. First in, first out within a lane. Knows neither duplicates nor time nor threads: those
// are the WorkQueue's.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace dra::queue {

// `Item` has a FairnessKey(item), found by argument-dependent lookup, that converts to string_view.
template <class Item>
class FairLanes {
 public:
  void Push(Item item) {
    // By reference, which also keeps a string alive that FairnessKey returns by value.
    const auto& key = FairnessKey(item);
    Lane& lane = *FindOrOpen(std::string_view(key));
    if (lane.second.empty()) turns_.push_back(&lane);
    lane.second.push_back(std::move(item));
    ++size_;
  }

  // The first item of the lane whose turn it is. Requires !empty().
  Item Pop() {
    Lane* const lane = turns_.front();
    turns_.pop_front();
    Item item = std::move(lane->second.front());
    lane->second.pop_front();
    --size_;
    if (lane->second.empty()) {
      // Closed at once: namespaces come and go, and the map must not remember them all.
      lanes_.erase(lanes_.find(std::string_view(lane->first)));
    } else {
      turns_.push_back(lane);
    }
    return item;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

 private:
  using Lane = std::pair<const std::string, std::deque<Item>>;

  struct KeyHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const {
      return std::hash<std::string_view>{}(key);
    }
  };

  Lane* FindOrOpen(std::string_view key) {
    const auto found = lanes_.find(key);
    if (found != lanes_.end()) return &*found;
    return &*lanes_.try_emplace(std::string(key)).first;
  }

  // No lane in here is empty. Nodes of unordered_map do not move, so turns_ can point at them.
  std::unordered_map<std::string, std::deque<Item>, KeyHash, std::equal_to<>> lanes_;
  std::deque<Lane*> turns_;  // each lane of lanes_ exactly once; the front is served next
  std::size_t size_ = 0;     // sum of the lanes' sizes
};

}  // namespace dra::queue
