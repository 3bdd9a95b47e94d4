// SPDX-License-Identifier: Apache-2.0
//
// Mirror: what can be asked of the copy of a resource without knowing its kind.
#pragma once

#include <string_view>

#include "api/meta.h"

namespace dra::cache {

class Mirror {
 public:
  virtual ~Mirror() = default;

  // The mirror shows the effect of every write of its resource up to this version; empty before the
  // first list. It also moves on bookmarks, so at least about once a minute.
  virtual api::ResourceVersion LastSeen() const = 0;

  // True while the mirror has the object with this UID, not marked as deleting.
  virtual bool ShowsLive(const api::ObjectKey& key, std::string_view uid) const = 0;
};

}  // namespace dra::cache
