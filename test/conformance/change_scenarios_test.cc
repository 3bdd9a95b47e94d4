// SPDX-License-Identifier: Apache-2.0
//
// What upstream's TestEventHandlers (upstream-behaviour 7.2) says about pods, as far as it can be
// seen from outside: the controller runs, something changes, and it reacts or it does not.
#include "api/resource_claim.h"
#include "conformance/conformance.h"

namespace dra::test {
namespace {

class ChangeScenarios : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    if (Prepared()) world().StartController();
  }

  PodBuilder P() { return NewPod("p").Entry("gpu").Template("one-gpu"); }

  std::string AwaitClaimOf(const std::string& pod, const std::string& entry = "gpu") {
    world().Await("pod " + pod + " gets a claim for " + entry,
                  [&] { return !ClaimNameOf(Pod(pod), entry).empty(); });
    return ClaimNameOf(Pod(pod), entry);
  }

  // As the scheduler does it: the finalizer, then allocation and reservation.
  void Allocate(const std::string& claim, const Json& pod) {
    const std::string finalizer(api::kClaimFinalizer);
    world().Patch(kube::kResourceClaims, claim, "", kMerge,
                  {{"metadata", {{"finalizers", Json::array({finalizer})}}}});
    const Json consumer = {
        {"resource", "pods"}, {"name", MetaField(pod, "name")}, {"uid", UidOf(pod)}};
    const Answer answer = world().Patch(
        kube::kResourceClaims, claim, "status", kMerge,
        {{"status",
          {{"allocation", AllocationOf("gpu-0")}, {"reservedFor", Json::array({consumer})}}}});
    EXPECT_TRUE(answer.ok()) << answer.Describe();
  }

  // A pod that ran with an extended claim, as the scheduler makes it.
  Json PrepareExtended() {
    const Json pod =
        world().Prepare(NewPod("p").OnNode("n1").ExtendedClaim("p-extended").Phase("Running"));
    world().Prepare(NewClaim("p-extended")
                        .Extended()
                        .Owner("v1", "Pod", "p", UidOf(pod))
                        .Allocated()
                        .Reserved(pod));
    return pod;
  }
};
INSTANTIATE_TEST_SUITE_P(Fake, ChangeScenarios, ::testing::Values(WorldKind::kFake));
INSTANTIATE_TEST_SUITE_P(Real, ChangeScenarios, ::testing::Values(WorldKind::kReal));

TEST_P(ChangeScenarios, NewPodsOfTwoNamespacesAreServed) {
  const auto post = [&](const kube::Resource& resource, const Json& object) {
    world().Call(kube::Method::kPost, resource.CollectionPath("default"), "application/json",
                 object.dump());
  };
  const std::string name = world().ns();  // unique in the other namespace
  post(kube::kResourceClaimTemplates, TemplateBuilder("default", name));
  post(kube::kPods, PodBuilder("default", name).Entry("gpu").Template(name));
  world().Prepare(NewTemplate("one-gpu"));
  world().Prepare(P());
  AwaitClaimOf("p");
  const auto pod = kube::kPods.ObjectPath({"default", name});
  std::string claim;
  world().Await("the other pod gets a claim", [&] {
    claim = ClaimNameOf(world().Call(kube::Method::kGet, pod).body, "gpu");
    return !claim.empty();
  });
  world().Call(kube::Method::kDelete, pod);
  world().Call(kube::Method::kDelete, kube::kResourceClaims.ObjectPath({"default", claim}));
  world().Call(kube::Method::kDelete, kube::kResourceClaimTemplates.ObjectPath({"default", name}));
}

TEST_P(ChangeScenarios, ATemplateWakesThePodThatWaitsForIt) {
  world().Prepare(P());
  world().Settle();
  EXPECT_EQ(ClaimNameOf(Pod("p"), "gpu"), "");
  world().Prepare(NewTemplate("one-gpu"));
  EXPECT_NE(AwaitClaimOf("p"), "");
}

TEST_P(ChangeScenarios, ATemplateOfAnotherNamespaceWakesNobody) {
  world().Prepare(P());
  const Json other = TemplateBuilder("default", "one-gpu");
  const auto path = kube::kResourceClaimTemplates.CollectionPath("default");
  world().Call(kube::Method::kPost, path, "application/json", other.dump());
  world().Settle();
  EXPECT_EQ(ClaimNameOf(Pod("p"), "gpu"), "");
  world().Call(kube::Method::kDelete, path + "/one-gpu");
}

TEST_P(ChangeScenarios, AGeneratedClaimThatIsDeletedByHandIsMadeAgain) {
  world().Prepare(NewTemplate("one-gpu"));
  world().Prepare(P());
  const std::string name = AwaitClaimOf("p");
  const std::string uid = UidOf(Claim(name));
  world().Remove(kube::kResourceClaims, name);
  world().Await("there is another claim", [&] {
    const Json claim = Claim(ClaimNameOf(Pod("p"), "gpu"));
    return !claim.is_null() && UidOf(claim) != uid;
  });
}

TEST_P(ChangeScenarios, LabelsOfClaimsAndPodsAreNoReasonToWrite) {
  world().Prepare(NewTemplate("one-gpu"));
  world().Prepare(P());
  const std::string claim = AwaitClaimOf("p");
  world().Settle();
  const int writes = world().WritesTo(claim) + world().WritesTo("p/status");
  for (const char* value : {"1", "2", "3"}) {
    const Json patch = {{"metadata", {{"labels", {{"a", value}}}}}};
    world().Patch(kube::kResourceClaims, claim, "", kMerge, patch);
    world().Patch(kube::kPods, "p", "", kMerge, patch);
  }
  world().Settle();
  EXPECT_EQ(world().WritesTo(claim) + world().WritesTo("p/status"), writes);
}

TEST_P(ChangeScenarios, AnAllocatedAndReservedClaimIsLeftAlone) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P());
  const std::string claim = AwaitClaimOf("p");
  Allocate(claim, pod);
  const std::string version = VersionOf(Claim(claim));
  world().Settle();
  EXPECT_EQ(VersionOf(Claim(claim)), version);
}

TEST_P(ChangeScenarios, TheWholeLifeOfAGeneratedClaim) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P().OnNode("n1"));
  const std::string claim = AwaitClaimOf("p");
  Allocate(claim, pod);
  world().SetPhase("p", "Running");
  world().Settle();
  EXPECT_EQ(ConsumersOf(Claim(claim)), (std::vector<std::string>{"p"}));
  world().SetPhase("p", "Succeeded");
  world().Await("the claim is gone", [&] { return Claim(claim).is_null(); });
  // Status, finalizer, delete: three writes end a claim; one more made it.
  EXPECT_LE(world().WritesTo(claim), 4);
}

TEST_P(ChangeScenarios, AnAllocationThatComesLateIsReservedForThePodOnItsNode) {
  world().Prepare(NewClaim("c"));
  world().Prepare(NewPod("p").Entry("gpu").Claim("c").OnNode("n1"));
  world().Settle();
  const std::string finalizer(api::kClaimFinalizer);
  world().Patch(kube::kResourceClaims, "c", "", kMerge,
                {{"metadata", {{"finalizers", Json::array({finalizer})}}}});
  world().Patch(kube::kResourceClaims, "c", "status", kMerge,
                {{"status", {{"allocation", AllocationOf("gpu-0")}}}});
  world().Await("p is a consumer", [&] { return ConsumersOf(Claim("c")).size() == 1; });
}

TEST_P(ChangeScenarios, ASharedClaimIsFreedByItsLastPod) {
  const Json first = world().Prepare(NewPod("first").Entry("gpu").Claim("c").OnNode("n1"));
  const Json second = world().Prepare(NewPod("second").Entry("gpu").Claim("c").OnNode("n1"));
  world().Prepare(NewClaim("c").Allocated().Reserved(first).Reserved(second));
  world().SetPhase("first", "Succeeded");
  world().Await("second is left",
                [&] { return ConsumersOf(Claim("c")) == std::vector<std::string>{"second"}; });
  EXPECT_TRUE(IsAllocated(Claim("c")));
  world().Remove(kube::kPods, "second");
  world().Await("it is deallocated", [&] {
    return !IsAllocated(Claim("c")) && !HasFinalizer(Claim("c"), api::kClaimFinalizer);
  });
}

TEST_P(ChangeScenarios, AnExtendedClaimOfARunningPodIsLeftAlone) {
  PrepareExtended();
  const std::string version = VersionOf(Claim("p-extended"));
  world().Settle();
  EXPECT_EQ(VersionOf(Claim("p-extended")), version);
}

TEST_P(ChangeScenarios, AnExtendedClaimWithoutConsumerYetIsLeftAlone) {
  const Json pod = world().Prepare(NewPod("p"));
  world().Prepare(NewClaim("p-extended").Extended().Owner("v1", "Pod", "p", UidOf(pod)));
  world().Settle();
  EXPECT_FALSE(Claim("p-extended").is_null());
}

TEST_P(ChangeScenarios, AnExtendedClaimGoesWhenItsPodCompletes) {
  PrepareExtended();
  world().SetPhase("p", "Succeeded");
  world().Await("the claim is gone", [&] { return Claim("p-extended").is_null(); });
}

TEST_P(ChangeScenarios, AnExtendedClaimGoesAlsoWhenAnotherEntryOfThePodWasNeverServed) {
  const Json pod = world().Prepare(NewPod("p")
                                       .OnNode("n1")
                                       .Entry("gpu")
                                       .Template("missing")
                                       .ExtendedClaim("p-extended")
                                       .Phase("Running"));
  world().Prepare(NewClaim("p-extended")
                      .Extended()
                      .Owner("v1", "Pod", "p", UidOf(pod))
                      .Allocated()
                      .Reserved(pod));
  world().SetPhase("p", "Succeeded");
  world().Await("the claim is gone", [&] { return Claim("p-extended").is_null(); });
}

TEST_P(ChangeScenarios, AnExtendedClaimGoesWhenItsPodFails) {
  PrepareExtended();
  world().SetPhase("p", "Failed");
  world().Await("the claim is gone", [&] { return Claim("p-extended").is_null(); });
}

// Nobody but the garbage collector deletes a claim whose owner is gone; it is freed at once.
TEST_P(ChangeScenarios, AnExtendedClaimOfADeletedPodIsFreed) {
  PrepareExtended();
  world().Remove(kube::kPods, "p");
  world().Await("the claim is free", [&] {
    const Json claim = Claim("p-extended");
    return claim.is_null() || (!IsAllocated(claim) && !HasFinalizer(claim, api::kClaimFinalizer));
  });
}

TEST_P(ChangeScenarios, TheControllerCatchesUpOnWhatItMissed) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P().OnNode("n1"));
  const std::string claim = AwaitClaimOf("p");
  Allocate(claim, pod);
  world().StopController();
  world().Remove(kube::kPods, "p");
  world().Delete(kube::kResourceClaims, claim);
  world().Prepare(P());
  world().StartController();
  world().Await("the old claim is gone", [&] { return Claim(claim).is_null(); });
  EXPECT_NE(AwaitClaimOf("p"), claim);
}

}  // namespace
}  // namespace dra::test
