// SPDX-License-Identifier: Apache-2.0
//
// The verbs of the API on a FakeStore: what one request does, without faults, logs and threads.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "kube/transport.h"
#include "support/fake_route.h"
#include "support/fake_store.h"
#include "support/fake_watch.h"

namespace dra::test {

class FakeVerbs {
 public:
  FakeVerbs(FakeStore& store, const Clock& clock) : store_(store), clock_(clock) {}

  // The answer's document; an error becomes a Status.
  Result<Json> Do(const FakeRoute& route, const kube::Request& request);

  Result<WatchStart> StartWatch(const FakeRoute& route);

  // Writes past all rules, for tests: see FakeApiServer::Put.
  Json Put(Json object);

 private:
  Result<Json> Get(const FakeRoute& route) const;
  Result<Json> List(const FakeRoute& route) const;
  Result<Json> Create(const FakeRoute& route, const Json& body);
  Result<Json> Patch(const FakeRoute& route, const kube::Request& request, const Json& body);
  Result<Json> Delete(const FakeRoute& route, const Json& options);

  Result<std::uint64_t> ListVersion(const FakeRoute& route) const;
  Result<void> ChooseName(const FakeKind& kind, Json& object);
  Result<void> CheckNamespace(const FakeRoute& route) const;
  Json Commit(const FakeKind& kind, const Json& old, Json next);
  Json DeletePod(const Json& pod, const Json& options);
  Json MarkDeleting(const FakeKind& kind, Json object, std::int64_t grace);

  FakeStore& store_;
  const Clock& clock_;
};

// A metadata.resourceVersion or a query's: nullopt when it is no number.
std::optional<std::uint64_t> ParseVersion(const std::string& text);

}  // namespace dra::test
