// SPDX-License-Identifier: Apache-2.0
#include "support/builders.h"

#include <gtest/gtest.h>

namespace dra::test {
namespace {

TEST(BuildersTest, APodCanBeDecodedByTheProduct) {
  const api::Pod pod = PodBuilder{"ns", "p"}
                           .Uid("u1")
                           .Entry("gpu")
                           .Template("one-gpu")
                           .Entry("disk")
                           .Claim("shared")
                           .Status("gpu", "p-gpu-x")
                           .OnNode("n1")
                           .Phase("Succeeded")
                           .Decoded();
  EXPECT_EQ(pod.meta.uid, "u1");
  ASSERT_EQ(pod.claims.size(), 2U);
  EXPECT_EQ(pod.claims[0].template_name, "one-gpu");
  EXPECT_EQ(pod.claims[1].claim_name, "shared");
  ASSERT_EQ(pod.claim_statuses.size(), 1U);
  EXPECT_EQ(pod.claim_statuses[0].claim_name, "p-gpu-x");
  EXPECT_TRUE(pod.Terminal());
}

TEST(BuildersTest, AClaimCanBeDecodedByTheProduct) {
  const api::ResourceClaim claim =
      ClaimBuilder{"ns", "c"}.OwnedBy("p", "u1", "gpu").Allocated().Reserved("p", "u1").Decoded();
  EXPECT_TRUE(claim.allocated);
  EXPECT_TRUE(claim.ReservedFor("u1"));
  EXPECT_TRUE(claim.meta.HasFinalizer(api::kClaimFinalizer));
  ASSERT_NE(claim.meta.Controller(), nullptr);
  EXPECT_EQ(claim.meta.Controller()->name, "p");
  EXPECT_EQ(claim.pod_claim_name, "gpu");
}

TEST(BuildersTest, ATemplateCanBeDecodedByTheProduct) {
  const api::ResourceClaimTemplate decoded =
      TemplateBuilder{"ns", "t"}.ClaimLabel("a", "b").AdminAccess().Decoded();
  EXPECT_EQ(Json::parse(decoded.labels_json), (Json{{"a", "b"}}));
  EXPECT_TRUE(decoded.admin_access);
}

}  // namespace
}  // namespace dra::test
