// SPDX-License-Identifier: Apache-2.0
//
// What the fake API server refuses, and what it changes in what it is given: the rules of
// kube-apiserver 1.37 that the product depends on (upstream-behaviour 14), and no more. Pure
// functions; errors carry the HTTP status (fake_status.h).
#pragma once

#include "base/result.h"
#include "support/fake_store.h"

namespace dra::test {

enum class Part { kMain, kStatus };

// A new object: clears what clients may not set, fills in defaults, checks the rest. The name must
// be there already.
Result<Json> PreparedForCreate(const FakeKind& kind, Json object);

// A change of `old` to `next` through `part`: puts back what that part may not touch, drops empty
// fields (as Go's omitempty does), checks the rest. resourceVersion and uid are preconditions:
// 409 and 422.
Result<Json> PreparedForUpdate(const FakeKind& kind, const Json& old, Json next, Part part);

// Removes nulls and the empty lists and maps that the real server would not send.
void DropEmpty(Json& object);

}  // namespace dra::test
