// SPDX-License-Identifier: Apache-2.0
//
// The rows of upstream's TestSyncHandler that are about claims (upstream-behaviour 7.1): what
// becomes of reservations, allocations, finalizers and claims, as end states.
#include "api/resource_claim.h"
#include "conformance/conformance.h"

namespace dra::test {
namespace {

class ClaimScenarios : public Conformance {
 protected:
  void Run() {
    world().StartController();
    world().Settle();
  }

  bool IsFree(const std::string& name) {
    const Json claim = Claim(name);
    return !claim.is_null() && ConsumersOf(claim).empty() && !IsAllocated(claim) &&
           !HasFinalizer(claim, api::kClaimFinalizer);
  }

  Json User(const std::string& pod) {
    return world().Prepare(NewPod(pod).Entry("gpu").Claim("c").OnNode("n1"));
  }
};
INSTANTIATE_TEST_SUITE_P(Fake, ClaimScenarios, ::testing::Values(WorldKind::kFake));
INSTANTIATE_TEST_SUITE_P(Real, ClaimScenarios, ::testing::Values(WorldKind::kReal));

using Names = std::vector<std::string>;

TEST_P(ClaimScenarios, AReservationOfALivingPodStays) {
  const Json before = world().Prepare(NewClaim("c").Allocated().Reserved(User("p")));
  Run();
  EXPECT_EQ(Claim("c"), before);
}

TEST_P(ClaimScenarios, AReservationOfAPodThatTheCacheDoesNotShowStays) {
  Run();
  world().product_link().HoldWatch(kube::kPods);
  const Json pod = world().Prepare(NewPod("p").Entry("gpu").Claim("c").OnNode("n1"));
  world().Prepare(NewClaim("c").Allocated().Reserved(pod));
  // A later claim that is worked off shows that the controller has seen the first one.
  world().Prepare(NewClaim("later").Allocated().Reserved("nobody", "no-such-uid"));
  world().Await("later is free", [&] { return IsFree("later"); });
  EXPECT_EQ(ConsumersOf(Claim("c")), (Names{"p"}));
  world().product_link().ReleaseWatch(kube::kPods);
  world().Settle();
  EXPECT_EQ(ConsumersOf(Claim("c")), (Names{"p"}));
  EXPECT_EQ(world().WritesTo("c/status"), 0);
}

TEST_P(ClaimScenarios, AClaimWhosePodIsGoneIsFreed) {
  world().Prepare(NewClaim("c").Allocated().Reserved("p", "gone"));
  world().StartController();
  world().Await("the claim is free", [&] { return IsFree("c"); });
}

TEST_P(ClaimScenarios, AClaimWhosePodWasReplacedIsFreed) {
  User("p");
  world().Prepare(NewClaim("c").Allocated().Reserved("p", "uid-of-the-pod-before"));
  world().StartController();
  // The new p uses the claim and has a node, so that it is added when there is an allocation.
  world().Await("the old reservation is gone", [&] {
    const Json& consumers = At(Claim("c"), {"status", "reservedFor"});
    return consumers.empty() || TextAt(consumers[0], {"uid"}) == UidOf(Pod("p"));
  });
}

TEST_P(ClaimScenarios, OnlyTheMissingConsumerIsRemoved) {
  world().Prepare(NewClaim("c").Allocated().Reserved("missing", "gone").Reserved(User("p")));
  world().StartController();
  world().Await("only p is left", [&] { return ConsumersOf(Claim("c")) == Names{"p"}; });
  world().Settle();
  EXPECT_TRUE(IsAllocated(Claim("c")));
  EXPECT_TRUE(HasFinalizer(Claim("c"), api::kClaimFinalizer));
}

TEST_P(ClaimScenarios, ADeletedClaimGoesWithItsLastConsumer) {
  world().Prepare(NewClaim("c").Allocated().Reserved("p", "gone").Deleting());
  world().StartController();
  world().Await("the claim is gone", [&] { return Claim("c").is_null(); });
}

TEST_P(ClaimScenarios, ADeletedClaimWithoutConsumersGoes) {
  world().Prepare(NewClaim("c").Allocated().Deleting());
  world().StartController();
  world().Await("the claim is gone", [&] { return Claim("c").is_null(); });
}

TEST_P(ClaimScenarios, ADeletedClaimWithAFinalizerAloneGoes) {
  world().Prepare(NewClaim("c").Protected().Deleting());
  world().StartController();
  world().Await("the claim is gone", [&] { return Claim("c").is_null(); });
}

TEST_P(ClaimScenarios, ADeletedClaimInUseStays) {
  world().Prepare(NewClaim("c").Allocated().Reserved(User("p")).Deleting());
  Run();
  EXPECT_EQ(ConsumersOf(Claim("c")), (Names{"p"}));
  EXPECT_TRUE(IsAllocated(Claim("c")));
}

// Without the finalizer nobody promised that the allocation would be cleared.
TEST_P(ClaimScenarios, AnUnprotectedAllocationStaysWhenThePodIsDone) {
  const Json pod = User("p");
  world().SetPhase("p", "Succeeded");
  world().Prepare(NewClaim("c").AllocatedWithoutFinalizer().Reserved(pod));
  world().StartController();
  world().Await("no consumer is left", [&] { return ConsumersOf(Claim("c")).empty(); });
  world().Settle();
  EXPECT_TRUE(IsAllocated(Claim("c")));
}

TEST_P(ClaimScenarios, AnAllocationThatNobodyReservedStays) {
  const Json before = world().Prepare(NewClaim("c").Allocated());
  Run();
  EXPECT_EQ(Claim("c"), before);
}

TEST_P(ClaimScenarios, AGeneratedClaimIsDeletedWhenItsPodIsDone) {
  const Json pod = world().Prepare(
      NewPod("p").Entry("gpu").Template("t").OnNode("n1").Phase("Succeeded").Status("gpu", "c"));
  world().Prepare(NewClaim("c").OwnedBy(pod, "gpu").Allocated().Reserved(pod));
  world().StartController();
  world().Await("the claim is gone", [&] { return Claim("c").is_null(); });
}

TEST_P(ClaimScenarios, AGeneratedClaimThatWasNeverUsedIsDeletedToo) {
  const Json pod = world().Prepare(
      NewPod("p").Entry("gpu").Template("t").OnNode("n1").Phase("Failed").Status("gpu", "c"));
  world().Prepare(NewClaim("c").OwnedBy(pod, "gpu"));
  world().StartController();
  world().Await("the claim is gone", [&] { return Claim("c").is_null(); });
}

TEST_P(ClaimScenarios, APodThatIsDeletedBeforeItHadANodeIsDone) {
  const Json pod = world().Prepare(NewPod("p")
                                       .Entry("gpu")
                                       .Template("t")
                                       .Status("gpu", "c")
                                       .Finalizer("example.com/hold")
                                       .Deleting());
  world().Prepare(NewClaim("c").OwnedBy(pod, "gpu").Allocated().Reserved(pod));
  world().StartController();
  world().Await("the claim is gone", [&] { return Claim("c").is_null(); });
}

TEST_P(ClaimScenarios, APodThatIsDeletedOnANodeStillHoldsItsClaim) {
  const Json pod = world().Prepare(
      NewPod("p").Entry("gpu").Template("t").Status("gpu", "c").OnNode("n1").Deleting());
  world().Prepare(NewClaim("c").OwnedBy(pod, "gpu").Allocated().Reserved(pod));
  Run();
  EXPECT_EQ(ConsumersOf(Claim("c")), (Names{"p"}));
}

TEST_P(ClaimScenarios, AUsersClaimIsKeptWhenItsPodIsDone) {
  const Json pod = User("p");
  world().SetPhase("p", "Failed");
  world().Prepare(NewClaim("c").Allocated().Reserved(pod));
  world().StartController();
  world().Await("the claim is free", [&] { return IsFree("c"); });
  world().Settle();
  EXPECT_FALSE(Claim("c").is_null());
}

TEST_P(ClaimScenarios, AConsumerOfAnotherKindKeepsTheAllocation) {
  const Json pod = User("p");
  world().SetPhase("p", "Succeeded");
  world().Prepare(
      NewClaim("c").Allocated().Reserved(pod).ReservedFor("foo.com", "foo", "f", "foo-uid"));
  world().StartController();
  world().Await("only foo is left", [&] { return ConsumersOf(Claim("c")) == Names{"f"}; });
  world().Settle();
  EXPECT_TRUE(IsAllocated(Claim("c")));
  EXPECT_TRUE(HasFinalizer(Claim("c"), api::kClaimFinalizer));
}

TEST_P(ClaimScenarios, AGeneratedClaimWithAnotherConsumerIsNotDeleted) {
  const Json pod = world().Prepare(
      NewPod("p").Entry("gpu").Template("t").OnNode("n1").Phase("Succeeded").Status("gpu", "c"));
  world().Prepare(
      NewClaim("c").OwnedBy(pod, "gpu").Allocated().ReservedFor("foo.com", "foo", "f", "foo-uid"));
  Run();
  EXPECT_EQ(ConsumersOf(Claim("c")), (Names{"f"}));
}

TEST_P(ClaimScenarios, DeviceStatusOfDriversSurvivesARelease) {
  const Json claim = world().Prepare(NewClaim("c")
                                         .Allocated("gpu-0")
                                         .DeviceStatus("gpu-0")
                                         .Reserved("missing", "gone")
                                         .Reserved(User("p")));
  world().StartController();
  world().Await("only p is left", [&] { return ConsumersOf(Claim("c")) == Names{"p"}; });
  EXPECT_EQ(At(Claim("c"), {"status", "devices"}), At(claim, {"status", "devices"}));
}

}  // namespace
}  // namespace dra::test
