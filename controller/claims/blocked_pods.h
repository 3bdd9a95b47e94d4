// SPDX-License-Identifier: Apache-2.0
//
// BlockedPods: pods whose claim could not be created because the namespace's quota is used up. When
// a claim of that namespace goes away there may be room again, and they are woken (W10).
// Thread-safe.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "api/object_key.h"
#include "base/mutex.h"

namespace dra::claims {

class BlockedPods {
 public:
  void Add(const api::ObjectKey& pod);
  void Remove(const api::ObjectKey& pod);

  // At most `count` pods of the namespace; they are no longer blocked.
  std::vector<api::ObjectKey> Take(const std::string& ns, std::size_t count);

 private:
  Mutex mutex_;
  std::unordered_map<std::string, std::unordered_set<std::string>> names_
      GUARDED_BY(mutex_);  // by namespace
};

}  // namespace dra::claims
