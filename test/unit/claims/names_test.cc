// SPDX-License-Identifier: Apache-2.0
#include "claims/names.h"

#include <set>

#include <gtest/gtest.h>

#include "base/strings.h"
#include "support/objects.h"

namespace dra::claims {
namespace {

using test::FromClaim;
using test::FromTemplate;
using test::MakePod;

TEST(Names, ShortNamesAreJoinedAsUpstreamDoes) {
  EXPECT_EQ(GenerateName("train", "gpu"), "train-gpu-");
}

TEST(Names, LongNamesAreCutInProportion) {
  // 63 + 63 characters leave 28 + 1 + 28.
  const std::string base = GenerateName(std::string(63, 'p'), std::string(63, 'c'));
  EXPECT_EQ(base, std::string(28, 'p') + "-" + std::string(28, 'c'));
}

TEST(Names, W5PodPartIsNeverEmpty) {
  EXPECT_EQ(GenerateName("p", std::string(60, 'c')).substr(0, 2), "p-");
}

TEST(Names, W5CutAfterADotLeavesAValidName) {
  for (std::size_t dot = 1; dot < 200; ++dot) {
    std::string name(253, 'a');
    name[dot] = '.';
    const api::Pod pod = MakePod(name);
    for (const std::size_t length : {1UL, 10UL, 30UL, 63UL}) {
      const std::string generated = GeneratedClaimName(pod, std::string(length, 'c'), 0);
      ASSERT_TRUE(IsDnsSubdomain(generated)) << generated << " for a dot at " << dot;
      ASSERT_LE(generated.size(), 63U);
    }
  }
}

TEST(Names, SameInputsGiveTheSameName) {
  EXPECT_EQ(GeneratedClaimName(MakePod(), "gpu", 0), GeneratedClaimName(MakePod(), "gpu", 0));
}

TEST(Names, UidAndSaltEachChangeTheName) {
  std::set<std::string> names;
  for (const char* uid : {"uid-1", "uid-2"}) {
    for (int salt = 0; salt < kNameSalts; ++salt) {
      names.insert(GeneratedClaimName(MakePod("p", uid), "gpu", salt));
    }
  }
  EXPECT_EQ(names.size(), 2U * kNameSalts);
}

TEST(Names, C35EqualBasesOfDifferentPodsDiffer) {
  const auto a = GeneratedClaimName(MakePod("foo", "uid-1"), "bar-baz", 0);
  const auto b = GeneratedClaimName(MakePod("foo-bar", "uid-2"), "baz", 0);
  EXPECT_EQ(a.substr(0, a.size() - 5), b.substr(0, b.size() - 5));
  EXPECT_NE(a, b);
}

TEST(Names, EntryStatesAreToldApart) {
  api::Pod pod = MakePod();
  EXPECT_TRUE(std::holds_alternative<NotGenerated>(ResolveEntry(pod, FromTemplate("gpu"))));
  EXPECT_TRUE(std::holds_alternative<UserClaim>(ResolveEntry(pod, FromClaim("gpu", "shared"))));
  EXPECT_TRUE(
      std::holds_alternative<Unsupported>(ResolveEntry(pod, {"gpu", std::nullopt, std::nullopt})));
  pod.claim_statuses = {{"gpu", std::nullopt}};
  EXPECT_TRUE(std::holds_alternative<NotNeeded>(ResolveEntry(pod, FromTemplate("gpu"))));
  pod.claim_statuses = {{"gpu", "p-gpu-x"}};
  EXPECT_TRUE(std::holds_alternative<GeneratedClaim>(ResolveEntry(pod, FromTemplate("gpu"))));
}

TEST(Names, PodClaimsListsKnownNamesThenTheExtendedClaim) {
  api::Pod pod = MakePod();
  pod.claims = {FromTemplate("a"), FromClaim("b", "shared"), FromTemplate("c")};
  pod.claim_statuses = {{"c", "p-c-x"}};
  pod.extended_claim = "p-extended";
  const auto names = PodClaims(pod);
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0].name, "shared");
  EXPECT_FALSE(names[0].owned);
  EXPECT_EQ(names[1].name, "p-c-x");
  EXPECT_EQ(names[2].name, "p-extended");
  EXPECT_TRUE(names[2].owned);
}

}  // namespace
}  // namespace dra::claims
