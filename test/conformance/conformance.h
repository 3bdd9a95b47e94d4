// SPDX-License-Identifier: Apache-2.0
//
// One body, two worlds: each test of this folder runs on the FakeApiServer and on a real
// kube-apiserver. On the fake it shows what the product does, on the real one that the fake does
// not lie.
//
//   ConformanceSuite(ClaimRules);
//   TEST_P(ClaimRules, TheSpecIsImmutable) { ... world() ... }
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/world.h"

namespace dra::test {

enum class WorldKind { kFake, kReal };

class Conformance : public ::testing::TestWithParam<WorldKind> {
 protected:
  void SetUp() override;
  void TearDown() override;

  World& world() { return *world_; }
  bool Prepared() const { return world_ != nullptr; }

  // What nearly all tests talk about.
  Json Claim(const std::string& name) { return world().Find(kube::kResourceClaims, name); }
  Json Pod(const std::string& name) { return world().Find(kube::kPods, name); }
  ClaimBuilder NewClaim(const std::string& name) { return {world().ns(), name}; }
  PodBuilder NewPod(const std::string& name) { return {world().ns(), name}; }
  TemplateBuilder NewTemplate(const std::string& name) { return {world().ns(), name}; }

 private:
  std::unique_ptr<World> world_;
};

// The claim that status.resourceClaimStatuses of the pod names for the entry; empty: none.
std::string ClaimNameOf(const Json& pod, const std::string& entry);
// Names of consumers in status.reservedFor, in their order.
std::vector<std::string> ConsumersOf(const Json& claim);
bool IsAllocated(const Json& claim);
bool HasFinalizer(const Json& object, std::string_view finalizer);
std::string UidOf(const Json& object);
std::string VersionOf(const Json& object);

// Collects what a watch delivers, on a thread of its own.
class EventReader {
 public:
  EventReader(World& world, const kube::Resource& resource, const std::string& query);

  std::vector<Json> Events() const;
  // Waits for `count` events; the rest of the test can rely on them only if it is true.
  bool Await(std::size_t count);
  bool AwaitEnd();
  // "ADDED a", "BOOKMARK", ...
  std::vector<std::string> Summary() const;

 private:
  World& world_;
  mutable Mutex mutex_;
  std::vector<Json> events_ GUARDED_BY(mutex_);
  bool ended_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace dra::test

#define ConformanceSuite(Suite)                                               \
  class Suite : public Conformance {};                                        \
  INSTANTIATE_TEST_SUITE_P(Fake, Suite, ::testing::Values(WorldKind::kFake)); \
  INSTANTIATE_TEST_SUITE_P(Real, Suite, ::testing::Values(WorldKind::kReal))
