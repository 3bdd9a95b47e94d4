// SPDX-License-Identifier: Apache-2.0
//
// The rows of upstream's TestSyncHandler that are about pods (upstream-behaviour 7.1), as end
// states of the running controller. "P" is pod p with entry "gpu" from template "one-gpu". Where
// the product means to differ from upstream, the test says why.
#include "api/resource_claim.h"
#include "claims/names.h"
#include "conformance/conformance.h"

namespace dra::test {
namespace {

class PodScenarios : public Conformance {
 protected:
  PodBuilder P() { return NewPod("p").Entry("gpu").Template("one-gpu"); }

  // Waits for the pod's status and returns the claim that it names.
  Json AwaitClaimOf(const std::string& pod, const std::string& entry) {
    world().Await("pod " + pod + " gets a claim for " + entry,
                  [&] { return !ClaimNameOf(Pod(pod), entry).empty(); });
    return Claim(ClaimNameOf(Pod(pod), entry));
  }

  // Runs the controller until there is nothing left for it to do.
  void Run() {
    world().StartController();
    world().Settle();
  }

  // Shows that the controller has seen all changes of pods, and of this template, until now.
  void AwaitLaterPod(const std::string& name, const std::string& from) {
    world().Prepare(NewPod(name).Entry("gpu").Template(from));
    AwaitClaimOf(name, "gpu");
  }

  std::size_t ClaimsOf(const Json& pod) {
    std::size_t count = 0;
    for (const Json& claim : world().List(kube::kResourceClaims)) {
      for (const Json& owner : At(claim, {"metadata", "ownerReferences"})) {
        if (TextAt(owner, {"uid"}) == UidOf(pod)) ++count;
      }
    }
    return count;
  }

  bool AwaitWarning(const std::string& pod, const std::string& text) {
    return world().Await("a warning about " + pod + " that says " + text, [&] {
      for (const Json& event : world().Events(pod)) {
        if (TextAt(event, {"reason"}) == "FailedResourceClaimCreation" &&
            TextAt(event, {"message"}).find(text) != std::string::npos) {
          return true;
        }
      }
      return false;
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Fake, PodScenarios, ::testing::Values(WorldKind::kFake));
INSTANTIATE_TEST_SUITE_P(Real, PodScenarios, ::testing::Values(WorldKind::kReal));

TEST_P(PodScenarios, APodGetsItsClaim) {
  world().Prepare(NewTemplate("one-gpu").ClaimLabel("l", "1").ClaimAnnotation("n", "2"));
  const Json pod = world().Prepare(P());
  world().StartController();
  const Json claim = AwaitClaimOf("p", "gpu");
  EXPECT_EQ(MetaField(claim, "generateName"), "p-gpu-");
  EXPECT_EQ(MetaField(claim, "name").substr(0, 6), "p-gpu-");
  EXPECT_EQ(MetaField(claim, "name").size(), 11U);
  EXPECT_EQ(At(claim, {"metadata", "labels"}), (Json{{"l", "1"}}));
  EXPECT_EQ(At(claim, {"metadata", "annotations"}),
            (Json{{"n", "2"}, {std::string(api::kPodClaimNameAnnotation), "gpu"}}));
  const Json owner = {{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"name", "p"},
                      {"uid", UidOf(pod)},
                      {"controller", true}};
  EXPECT_EQ(At(claim, {"metadata", "ownerReferences"}), Json::array({owner}));
  EXPECT_EQ(At(claim, {"spec"}),
            At(world().Find(kube::kResourceClaimTemplates, "one-gpu"), {"spec", "spec"}));
  EXPECT_TRUE(At(claim, {"metadata", "finalizers"}).is_null());
}

TEST_P(PodScenarios, AdminAccessIsCopied) {
  const std::string ns = "/api/v1/namespaces/" + world().ns();
  const Json label = {
      {"metadata", {{"labels", {{"resource.kubernetes.io/admin-access", "true"}}}}}};
  world().Call(kube::Method::kPatch, ns, kMerge, label.dump());
  world().Prepare(NewTemplate("one-gpu").AdminAccess());
  world().Prepare(P());
  world().StartController();
  const Json claim = AwaitClaimOf("p", "gpu");
  EXPECT_EQ(At(At(claim, {"spec", "devices", "requests"})[0], {"exactly", "adminAccess"}), true);
}

TEST_P(PodScenarios, NothingIsWrittenWhenStatusAndClaimExist) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P().Status("gpu", "existing"));
  world().Prepare(NewClaim("existing").OwnedBy(pod, "gpu"));
  Run();
  EXPECT_EQ(world().WritesTo("p/status"), 0);
  EXPECT_EQ(ClaimsOf(pod), 1U);
  EXPECT_EQ(ClaimNameOf(Pod("p"), "gpu"), "existing");
}

// The template comes last, so that nothing can be made for p before its status names the claim.
TEST_P(PodScenarios, AClaimThatTheCacheDoesNotShowIsLookedUp) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(NewPod("p").Entry("gpu").Template("late"));
  Run();
  world().product_link().HoldWatch(kube::kResourceClaims);
  world().Prepare(NewClaim("existing").OwnedBy(pod, "gpu"));
  const Json entry = {{"name", "gpu"}, {"resourceClaimName", "existing"}};
  world().Patch(kube::kPods, "p", "status", kMerge,
                {{"status", {{"resourceClaimStatuses", Json::array({entry})}}}});
  AwaitLaterPod("later", "one-gpu");
  world().Prepare(NewTemplate("late"));
  AwaitLaterPod("last", "late");
  world().product_link().ReleaseWatch(kube::kResourceClaims);
  world().Settle();
  EXPECT_EQ(ClaimsOf(pod), 1U);
  EXPECT_EQ(world().WritesTo("p/status"), 0);
}

TEST_P(PodScenarios, AClaimOfOursThatTheCacheDoesNotShowYetIsNotMadeTwice) {
  world().Prepare(NewTemplate("one-gpu"));
  Run();
  world().product_link().HoldWatch(kube::kResourceClaims);
  const Json pod = world().Prepare(P());
  const std::string claim = MetaField(AwaitClaimOf("p", "gpu"), "name");
  for (const char* value : {"1", "2"}) {
    world().Patch(kube::kPods, "p", "", kMerge, {{"metadata", {{"labels", {{"a", value}}}}}});
  }
  AwaitLaterPod("later", "one-gpu");
  world().product_link().ReleaseWatch(kube::kResourceClaims);
  world().Settle();
  EXPECT_EQ(ClaimsOf(pod), 1U);
  EXPECT_EQ(ClaimNameOf(Pod("p"), "gpu"), claim);
}

TEST_P(PodScenarios, AClaimWhoseStatusWriteFailedIsFoundAgain) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P());
  world().product_link().AnswerNext(
      kube::Method::kPatch, "/p/status",
      {500, R"({"kind":"Status","status":"Failure","reason":"InternalError","code":500})", {}});
  world().StartController();
  EXPECT_FALSE(AwaitClaimOf("p", "gpu").is_null());
  world().Settle();
  EXPECT_EQ(ClaimsOf(pod), 1U);
}

TEST_P(PodScenarios, AClaimThatIsGoneIsMadeAgain) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P().Status("gpu", "missing"));
  world().StartController();
  world().Await("the status names another claim",
                [&] { return ClaimNameOf(Pod("p"), "gpu") != "missing"; });
  EXPECT_EQ(ClaimsOf(pod), 1U);
  EXPECT_FALSE(AwaitClaimOf("p", "gpu").is_null());
}

TEST_P(PodScenarios, AMissingTemplateIsReportedByName) {
  world().Prepare(P());
  world().StartController();
  EXPECT_TRUE(AwaitWarning("p", "one-gpu"));
  EXPECT_TRUE(world().List(kube::kResourceClaims).empty());
}

TEST_P(PodScenarios, AnOwnedClaimIsAdoptedEvenWithoutTemplate) {
  const Json pod = world().Prepare(P());
  world().Prepare(NewClaim("random-name").OwnedBy(pod, "gpu"));
  world().StartController();
  EXPECT_EQ(MetaField(AwaitClaimOf("p", "gpu"), "name"), "random-name");
  world().Settle();
  EXPECT_EQ(ClaimsOf(pod), 1U);
}

TEST_P(PodScenarios, AForeignClaimInTheStatusIsReplacedAndLeftAlone) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P().Status("gpu", "foreign"));
  const Json foreign = world().Prepare(NewClaim("foreign"));
  world().StartController();
  world().Await("the status names another claim",
                [&] { return ClaimNameOf(Pod("p"), "gpu") != "foreign"; });
  EXPECT_EQ(ClaimsOf(pod), 1U);
  EXPECT_EQ(Claim("foreign"), foreign);
}

TEST_P(PodScenarios, AForeignClaimOfTheLegacyNameIsNotUsed) {
  world().Prepare(P());
  const Json foreign = world().Prepare(NewClaim("p-gpu"));
  world().StartController();
  EXPECT_TRUE(AwaitWarning("p", "one-gpu"));
  EXPECT_EQ(ClaimNameOf(Pod("p"), "gpu"), "");
  EXPECT_EQ(Claim("p-gpu"), foreign);
}

TEST_P(PodScenarios, ADeletingPodGetsNothing) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P().OnNode("n1").Deleting());
  Run();
  EXPECT_EQ(ClaimsOf(pod), 0U);
  EXPECT_EQ(world().WritesTo("p/status"), 0);
}

// Upstream generates for terminal pods, too; nobody would ever use such a claim.
TEST_P(PodScenarios, ATerminalPodGetsNothing) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P().OnNode("n1").Phase("Succeeded"));
  Run();
  EXPECT_EQ(ClaimsOf(pod), 0U);
}

TEST_P(PodScenarios, APodWithoutEntriesIsNoBusinessOfOurs) {
  world().Prepare(NewPod("p"));
  Run();
  EXPECT_EQ(world().WritesTo("p/status"), 0);
}

TEST_P(PodScenarios, AnEntryThatNeedsNoClaimGetsNone) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P().Status("gpu", ""));
  Run();
  EXPECT_EQ(ClaimsOf(pod), 0U);
  EXPECT_EQ(world().WritesTo("p/status"), 0);
}

TEST_P(PodScenarios, APodWithANodeGetsItsClaimToo) {
  world().Prepare(NewTemplate("one-gpu"));
  world().Prepare(P().OnNode("n1"));
  world().StartController();
  const Json claim = AwaitClaimOf("p", "gpu");
  world().Settle();
  EXPECT_FALSE(IsAllocated(Claim(MetaField(claim, "name"))));
}

TEST_P(PodScenarios, AClaimOfTheSameNameElsewhereDoesNotCount) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P());
  const auto path = kube::kResourceClaims.CollectionPath("default");
  const Json other = ClaimBuilder("default", "elsewhere").OwnedBy(pod, "gpu");
  world().Call(kube::Method::kPost, path, "application/json", other.dump());
  world().StartController();
  const Json claim = AwaitClaimOf("p", "gpu");
  EXPECT_EQ(MetaField(claim, "namespace"), world().ns());
  world().Call(kube::Method::kDelete, path + "/elsewhere");
}

TEST_P(PodScenarios, ANameThatAnotherOwnersClaimHoldsIsSteppedOver) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P());
  api::Pod owner;
  owner.meta.name = "p";
  owner.meta.uid = UidOf(pod);
  const std::string first = claims::GeneratedClaimName(owner, "gpu", 0);
  const Json foreign = world().Prepare(NewClaim(first));
  Run();
  EXPECT_EQ(ClaimNameOf(Pod("p"), "gpu"), claims::GeneratedClaimName(owner, "gpu", 1));
  EXPECT_EQ(Claim(first), foreign);
  EXPECT_EQ(ClaimsOf(pod), 1U);
}

TEST_P(PodScenarios, AConflictAtCreationIsTriedAgain) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(P());
  world().product_link().AnswerNext(
      kube::Method::kPost, "/resourceclaims",
      {409, R"({"kind":"Status","status":"Failure","reason":"AlreadyExists","code":409})", {}});
  world().StartController();
  EXPECT_FALSE(AwaitClaimOf("p", "gpu").is_null());
  EXPECT_EQ(ClaimsOf(pod), 1U);
}

TEST_P(PodScenarios, OneStatusWriteNamesAllClaims) {
  world().Prepare(NewTemplate("one-gpu"));
  const Json pod = world().Prepare(
      NewPod("p").Entry("a").Template("one-gpu").Entry("b").Template("one-gpu").Status("a", "ca"));
  world().Prepare(NewClaim("ca").OwnedBy(pod, "a"));
  world().StartController();
  AwaitClaimOf("p", "b");
  world().Settle();
  EXPECT_EQ(ClaimNameOf(Pod("p"), "a"), "ca");
  EXPECT_NE(ClaimNameOf(Pod("p"), "b"), "");
  EXPECT_EQ(world().WritesTo("p/status"), 1);
  EXPECT_EQ(ClaimsOf(pod), 2U);
}

TEST_P(PodScenarios, AMissingTemplateDoesNotHoldBackTheOtherEntry) {
  world().Prepare(NewTemplate("one-gpu"));
  world().Prepare(NewPod("p").Entry("a").Template("late").Entry("b").Template("one-gpu"));
  world().StartController();
  AwaitClaimOf("p", "b");
  EXPECT_TRUE(AwaitWarning("p", "late"));
  EXPECT_EQ(ClaimNameOf(Pod("p"), "a"), "");
}

TEST_P(PodScenarios, APodOnANodeIsAddedToItsAllocatedClaim) {
  const Json pod = world().Prepare(P().OnNode("n1").Status("gpu", "c"));
  world().Prepare(NewClaim("c").OwnedBy(pod, "gpu").Allocated());
  world().StartController();
  world().Await("p is a consumer",
                [&] { return ConsumersOf(Claim("c")) == std::vector<std::string>{"p"}; });
  const Json consumer = {{"resource", "pods"}, {"name", "p"}, {"uid", UidOf(pod)}};
  EXPECT_EQ(At(Claim("c"), {"status", "reservedFor"}), Json::array({consumer}));
}

TEST_P(PodScenarios, APodOnANodeIsAddedToASharedClaimBesideOthers) {
  const Json first = world().Prepare(NewPod("first").Entry("gpu").Claim("c").OnNode("n1"));
  world().Prepare(NewClaim("c").Allocated().Reserved(first));
  world().Prepare(NewPod("second").Entry("gpu").Claim("c").OnNode("n1"));
  world().StartController();
  world().Await("both are consumers", [&] { return ConsumersOf(Claim("c")).size() == 2; });
  // A strategic merge puts new items in front; nobody reads the order.
  EXPECT_EQ(ConsumersOf(Claim("c")), (std::vector<std::string>{"second", "first"}));
}

TEST_P(PodScenarios, AClaimThatIsNotAllocatedIsNotReserved) {
  world().Prepare(NewClaim("c"));
  world().Prepare(NewPod("p").Entry("gpu").Claim("c").OnNode("n1"));
  Run();
  EXPECT_TRUE(ConsumersOf(Claim("c")).empty());
}

TEST_P(PodScenarios, AClaimOfAnotherOwnerIsNotReserved) {
  const Json pod = world().Prepare(P().OnNode("n1").Status("gpu", "c"));
  world().Prepare(NewClaim("c").OwnedBy("q", "another-uid", "gpu").Allocated());
  Run();
  EXPECT_TRUE(ConsumersOf(Claim("c")).empty());
}

}  // namespace
}  // namespace dra::test
