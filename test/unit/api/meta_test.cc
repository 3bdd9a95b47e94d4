// SPDX-License-Identifier: Apache-2.0
#include "api/meta.h"

#include <gtest/gtest.h>

#include "api/pod.h"
#include "api/resource_claim.h"

namespace dra::api {
namespace {

ResourceVersion Rv(std::string text) { return ResourceVersion(std::move(text)); }

TEST(ResourceVersionTest, ComparesOnlyPositiveDecimals) {
  for (const char* text : {"1", "10", "918273645", "99999999999999999999999999"}) {
    EXPECT_TRUE(Rv(text).comparable()) << text;
  }
  for (const char* text : {"", "0", "01", "-1", "+1", "1a", " 1", "1.0"}) {
    EXPECT_FALSE(Rv(text).comparable()) << text;
  }
}

TEST(ResourceVersionTest, OrdersByLengthAndThenByDigits) {
  EXPECT_TRUE(Rv("10").AtLeast(Rv("9")));
  EXPECT_FALSE(Rv("9").AtLeast(Rv("10")));
  EXPECT_TRUE(Rv("19").AtLeast(Rv("18")));
  EXPECT_TRUE(Rv("18").AtLeast(Rv("18")));
  EXPECT_TRUE(Rv("100000000000000000000000").AtLeast(Rv("99999999999999999999999")));
}

TEST(ResourceVersionTest, TakesWhatIsNoVersionForOlderThanEverything) {
  EXPECT_FALSE(Rv("").AtLeast(Rv("1")));
  EXPECT_FALSE(Rv("x9").AtLeast(Rv("1")));
  EXPECT_TRUE(Rv("1").AtLeast(Rv("x9")));
  EXPECT_TRUE(Rv("1").AtLeast(Rv("")));
  EXPECT_TRUE(Rv("").AtLeast(Rv("0")));
}

TEST(ObjectMetaTest, FindsTheFirstControllerAmongItsOwners) {
  ObjectMeta meta;
  EXPECT_EQ(meta.Controller(), nullptr);
  meta.owners = {{"v1", "Pod", "a", "1", false}, {"v1", "Pod", "b", "2", true}};
  meta.owners.push_back({"v1", "Pod", "c", "3", true});
  ASSERT_NE(meta.Controller(), nullptr);
  EXPECT_EQ(meta.Controller()->name, "b");
}

TEST(ObjectMetaTest, KnowsItsFinalizers) {
  ObjectMeta meta;
  meta.finalizers = {"a", std::string(kClaimFinalizer)};
  EXPECT_TRUE(meta.HasFinalizer(kClaimFinalizer));
  EXPECT_FALSE(meta.HasFinalizer("b"));
}

Pod InPhase(std::string phase) {
  Pod pod;
  pod.phase = std::move(phase);
  return pod;
}

TEST(PodTest, IsTerminalInTwoPhasesOnly) {
  EXPECT_TRUE(InPhase("Succeeded").Done());
  EXPECT_TRUE(InPhase("Failed").Done());
  for (const char* phase : {"", "Pending", "Running", "Unknown", "failed"}) {
    EXPECT_FALSE(InPhase(phase).Done()) << phase;
  }
}

TEST(PodTest, IsDoneWhenDeletedBeforeItGotANode) {
  Pod pod = InPhase("Pending");
  pod.meta.deletion_timestamp = "2026-12-01T05:38:00Z";
  EXPECT_TRUE(pod.Done());
  EXPECT_FALSE(pod.Terminal());
  pod.node_name = std::string("node");
  EXPECT_FALSE(pod.Done());
}

TEST(PodTest, FindsTheStatusOfAnEntry) {
  Pod pod;
  pod.claim_statuses = {{"a", "x"}, {"b", std::nullopt}};
  ASSERT_NE(pod.FindStatus("b"), nullptr);
  EXPECT_EQ(pod.FindStatus("b")->claim_name, std::nullopt);
  EXPECT_EQ(pod.FindStatus("c"), nullptr);
}

TEST(ResourceClaimTest, KnowsForWhomItIsReserved) {
  ResourceClaim claim;
  claim.reserved_for = {{"", "pods", "p", "u1"}};
  EXPECT_TRUE(claim.ReservedFor("u1"));
  EXPECT_FALSE(claim.ReservedFor("u2"));
}

}  // namespace
}  // namespace dra::api
