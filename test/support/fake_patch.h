// SPDX-License-Identifier: Apache-2.0
//
// The three ways to patch an object that the product uses, as pure functions from the stored object
// and the patch to the object that is asked for. What may be changed at all is decided afterwards
// (fake_validation.h).
#pragma once

#include <string>

#include "base/result.h"
#include "support/fake_store.h"

namespace dra::test {

// RFC 7386.
Json MergePatched(const Json& object, const Json& patch);

// Kubernetes' strategic merge: maps are merged, lists are replaced but for those that have a merge
// key in the API (the ones that the product can meet, see the .cc). Knows $patch: delete and
// replace, and $deleteFromPrimitiveList. An unknown directive is 400.
Result<Json> StrategicPatched(const Json& object, const Json& patch);

// Server-side apply of a Pod. Only status.resourceClaimStatuses has owners here; other fields of
// the patch are merged and never removed again. Ownership is as in the real server: an entry that
// the manager owned alone and no longer lists is removed; one that others own survives; taking an
// entry with another value from its owners needs `force`, or is 409.
struct ApplyRequest {
  std::string manager;
  bool force = false;
};
struct Applied {
  Json object;
  EntryOwners owners;
};
Result<Applied> PodApplied(const Json& pod, const Json& patch, const EntryOwners& owners,
                           const ApplyRequest& request);

// The owners after `manager` wrote `after` over `before` by other means than apply.
EntryOwners OwnersAfterUpdate(const Json& before, const Json& after, EntryOwners owners,
                              const std::string& manager);

}  // namespace dra::test
