// SPDX-License-Identifier: Apache-2.0
//
// Creating, reading, listing and deleting objects, as the product relies on it.
#include <set>

#include "api/resource_claim.h"
#include "conformance/conformance.h"

namespace dra::test {
namespace {

ConformanceSuite(ApiObjects);

TEST_P(ApiObjects, ACreatedObjectHasUidVersionAndTime) {
  const Answer answer = world().Post(NewClaim("c"));
  EXPECT_EQ(answer.status, 201);
  EXPECT_FALSE(UidOf(answer.body).empty());
  EXPECT_FALSE(VersionOf(answer.body).empty());
  EXPECT_EQ(MetaField(answer.body, "creationTimestamp").size(), 20U);
  EXPECT_EQ(UidOf(Claim("c")), UidOf(answer.body));
}

TEST_P(ApiObjects, NameAndGenerateNameAreBothKept) {
  const Answer answer = world().Post(NewClaim("p-gpu-abcde").GenerateName("p-gpu-"));
  EXPECT_EQ(MetaField(answer.body, "name"), "p-gpu-abcde");
  EXPECT_EQ(MetaField(answer.body, "generateName"), "p-gpu-");
}

TEST_P(ApiObjects, GenerateNameAloneGetsFiveCharacters) {
  Json claim = NewClaim("").GenerateName("base-");
  claim["metadata"].erase("name");
  const std::string name = MetaField(world().Post(claim).body, "name");
  EXPECT_EQ(name.substr(0, 5), "base-");
  EXPECT_EQ(name.size(), 10U);
}

TEST_P(ApiObjects, ATakenNameIsAlreadyExists) {
  world().Prepare(NewClaim("c"));
  const Answer answer = world().Post(NewClaim("c"));
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(TextAt(answer.body, {"kind"}), "Status");
  EXPECT_EQ(TextAt(answer.body, {"reason"}), "AlreadyExists");
  EXPECT_EQ(TextAt(answer.body, {"details", "name"}), "c");
  EXPECT_EQ(At(answer.body, {"code"}), 409);
}

TEST_P(ApiObjects, ABadNameIsInvalidAndSaysWhichField) {
  const Answer answer = world().Post(NewClaim("Upper"));
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(TextAt(answer.body, {"reason"}), "Invalid");
  const Json& causes = At(answer.body, {"details", "causes"});
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(TextAt(causes[0], {"field"}), "metadata.name");
}

TEST_P(ApiObjects, ABadObjectUnderATakenNameIsInvalid) {
  world().Prepare(NewClaim("c"));
  Json bad = NewClaim("c");
  bad["spec"]["devices"]["requests"][0].erase("name");
  EXPECT_EQ(world().Post(bad).status, 422);
}

TEST_P(ApiObjects, AClaimRequestNeedsAClass) {
  Json claim = NewClaim("c");
  claim["spec"]["devices"]["requests"][0]["exactly"].erase("deviceClassName");
  EXPECT_EQ(world().Post(claim).status, 422);
}

TEST_P(ApiObjects, ATemplateIsCheckedLikeTheClaimsMadeFromIt) {
  Json bad = NewTemplate("t");
  bad["spec"]["spec"]["devices"]["requests"][0].erase("exactly");
  EXPECT_EQ(world().Post(bad).status, 422);
}

TEST_P(ApiObjects, APodEntryNamesAClaimOrATemplate) {
  EXPECT_EQ(world().Post(NewPod("neither").Entry("gpu")).status, 422);
  EXPECT_EQ(world().Post(NewPod("both").Entry("gpu").Claim("c").Template("t")).status, 422);
  const Json twice = NewPod("twice").Entry("gpu").Claim("c").Entry("gpu").Claim("d");
  EXPECT_EQ(world().Post(twice).status, 422);
}

TEST_P(ApiObjects, StatusAndSystemFieldsOfANewClaimAreIgnored) {
  Json claim = NewClaim("c").Allocated().Uid("mine");
  claim["metadata"]["deletionTimestamp"] = "2026-12-01T00:00:00Z";
  const Json created = world().Post(claim).body;
  EXPECT_FALSE(IsAllocated(created));
  EXPECT_NE(UidOf(created), "mine");
  EXPECT_EQ(MetaField(created, "deletionTimestamp"), "");
}

TEST_P(ApiObjects, AnObjectWithoutItsKindIsABadRequest) {
  const auto target = kube::kResourceClaims.CollectionPath(world().ns());
  const Json pod = NewPod("p");
  EXPECT_EQ(world().Call(kube::Method::kPost, target, "application/json", pod.dump()).status, 400);
  EXPECT_EQ(world().Call(kube::Method::kPost, target, "application/json", "{").status, 400);
}

TEST_P(ApiObjects, WhatDoesNotExistIsNotFound) {
  const Answer answer = world().Get(kube::kResourceClaims, "none");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(TextAt(answer.body, {"reason"}), "NotFound");
  EXPECT_EQ(world().Delete(kube::kResourceClaims, "none").status, 404);
  EXPECT_EQ(world().Patch(kube::kResourceClaims, "none", "status", kMerge, Json::object()).status,
            404);
}

TEST_P(ApiObjects, NothingCanBeCreatedInATerminatingNamespace) {
  const std::string ns = world().ns() + "-ending";
  const auto post = [&](const std::string& target, const Json& body) {
    return world().Call(kube::Method::kPost, target, "application/json", body.dump());
  };
  post("/api/v1/namespaces",
       {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}});
  world().Call(kube::Method::kDelete, "/api/v1/namespaces/" + ns);
  Answer answer;
  // The real server looks into a cache of namespaces.
  world().Await("the namespace is known to terminate", [&] {
    answer = post(kube::kResourceClaims.CollectionPath(ns), ClaimBuilder(ns, "c"));
    world().Call(kube::Method::kDelete, kube::kResourceClaims.ObjectPath({ns, "c"}));
    return answer.status != 201;
  });
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(TextAt(answer.body, {"reason"}), "Forbidden");
  const Json& causes = At(answer.body, {"details", "causes"});
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(TextAt(causes[0], {"reason"}), "NamespaceTerminating");
}

// --- Deleting ---

TEST_P(ApiObjects, AClaimWithoutFinalizersIsGoneAtOnce) {
  world().Prepare(NewClaim("c"));
  EXPECT_TRUE(world().Delete(kube::kResourceClaims, "c").ok());
  EXPECT_TRUE(Claim("c").is_null());
}

TEST_P(ApiObjects, AFinalizerKeepsADeletedClaimUntilItIsRemoved) {
  world().Prepare(NewClaim("c").Protected());
  EXPECT_TRUE(world().Delete(kube::kResourceClaims, "c").ok());
  const Json deleting = Claim("c");
  EXPECT_NE(MetaField(deleting, "deletionTimestamp"), "");
  EXPECT_TRUE(world().Delete(kube::kResourceClaims, "c").ok());
  EXPECT_EQ(VersionOf(Claim("c")), VersionOf(deleting));
  const Json patch = {{"metadata", {{"finalizers", Json::array()}}}};
  EXPECT_EQ(world().Patch(kube::kResourceClaims, "c", "", kMerge, patch).status, 200);
  EXPECT_TRUE(Claim("c").is_null());
}

TEST_P(ApiObjects, ADeletingObjectTakesNoNewFinalizer) {
  world().Prepare(NewClaim("c").Protected().Deleting());
  const Json more = {
      {"metadata", {{"finalizers", {std::string(api::kClaimFinalizer), "example.com/more"}}}}};
  EXPECT_EQ(world().Patch(kube::kResourceClaims, "c", "", kMerge, more).status, 422);
}

TEST_P(ApiObjects, ADeleteCanDependOnUidAndVersion) {
  const Json claim = world().Prepare(NewClaim("c"));
  for (const Json& wrong : {Json{{"uid", "00000000-0000-0000-0000-000000000000"}},
                            Json{{"uid", UidOf(claim)}, {"resourceVersion", "1"}}}) {
    const Answer answer = world().Delete(kube::kResourceClaims, "c", {{"preconditions", wrong}});
    EXPECT_EQ(answer.status, 409);
    EXPECT_EQ(TextAt(answer.body, {"reason"}), "Conflict");
  }
  const Json right = {{"uid", UidOf(claim)}, {"resourceVersion", VersionOf(claim)}};
  EXPECT_TRUE(world().Delete(kube::kResourceClaims, "c", {{"preconditions", right}}).ok());
  EXPECT_TRUE(Claim("c").is_null());
}

TEST_P(ApiObjects, APodWithoutNodeIsGoneAtOnce) {
  world().Prepare(NewPod("p"));
  world().Delete(kube::kPods, "p");
  EXPECT_TRUE(Pod("p").is_null());
}

TEST_P(ApiObjects, APodOnANodeWaitsForItsKubelet) {
  world().Prepare(NewPod("p").OnNode("n1"));
  world().Delete(kube::kPods, "p");
  EXPECT_NE(MetaField(Pod("p"), "deletionTimestamp"), "");
  EXPECT_EQ(At(Pod("p"), {"metadata", "deletionGracePeriodSeconds"}), 30);
  world().Delete(kube::kPods, "p", {{"gracePeriodSeconds", 0}});
  EXPECT_TRUE(Pod("p").is_null());
}

TEST_P(ApiObjects, ATerminalPodIsGoneAtOnce) {
  world().Prepare(NewPod("p").OnNode("n1").Phase("Failed"));
  world().Delete(kube::kPods, "p");
  EXPECT_TRUE(Pod("p").is_null());
}

TEST_P(ApiObjects, AFinalizerKeepsEvenAForceDeletedPod) {
  world().Prepare(NewPod("p").Finalizer("example.com/hold"));
  world().Delete(kube::kPods, "p", {{"gracePeriodSeconds", 0}});
  EXPECT_NE(MetaField(Pod("p"), "deletionTimestamp"), "");
}

// --- Listing ---

class Pages {
 public:
  Pages(World& world, std::string query) : world_(world), query_(std::move(query)) {}

  // The next page; false after the last one.
  bool Next(std::string& names, std::string& version) {
    const auto path = kube::kResourceClaims.CollectionPath(world_.ns());
    const std::string token = token_.empty() ? "" : "&continue=" + token_;
    const Answer answer = world_.Call(kube::Method::kGet, path + "?" + query_ + token);
    EXPECT_EQ(answer.status, 200) << answer.Describe();
    names.clear();
    for (const Json& item : At(answer.body, {"items"})) names += MetaField(item, "name");
    version = TextAt(answer.body, {"metadata", "resourceVersion"});
    token_ = TextAt(answer.body, {"metadata", "continue"});
    return !token_.empty();
  }

 private:
  World& world_;
  const std::string query_;
  std::string token_;
};

TEST_P(ApiObjects, PagesAreOneConsistentList) {
  for (const char* name : {"a", "b", "c", "d", "e"}) world().Prepare(NewClaim(name));
  Pages pages(world(), "limit=2");
  std::string names;
  std::string first;
  std::string version;
  EXPECT_TRUE(pages.Next(names, first));
  EXPECT_EQ(names, "ab");
  world().Prepare(NewClaim("cc"));
  world().Remove(kube::kResourceClaims, "d");
  EXPECT_TRUE(pages.Next(names, version));
  EXPECT_EQ(names, "cd");
  EXPECT_EQ(version, first);
  EXPECT_FALSE(pages.Next(names, version));
  EXPECT_EQ(names, "e");
}

TEST_P(ApiObjects, AListNamesItsKindAndVersion) {
  world().Prepare(NewClaim("c"));
  const Answer answer =
      world().Call(kube::Method::kGet, kube::kResourceClaims.CollectionPath(world().ns()));
  EXPECT_EQ(TextAt(answer.body, {"kind"}), "ResourceClaimList");
  EXPECT_NE(TextAt(answer.body, {"metadata", "resourceVersion"}), "");
  ASSERT_EQ(At(answer.body, {"items"}).size(), 1U);
  EXPECT_FALSE(At(answer.body, {"items"})[0].contains("kind"));
}

TEST_P(ApiObjects, AListFromTheFutureIsTooLarge) {
  const auto path = kube::kResourceClaims.CollectionPath(world().ns());
  const Answer answer = world().Call(
      kube::Method::kGet, path + "?resourceVersion=999999999999&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(answer.status, 504);
  EXPECT_EQ(TextAt(answer.body, {"reason"}), "Timeout");
  const Json& causes = At(answer.body, {"details", "causes"});
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(TextAt(causes[0], {"reason"}), "ResourceVersionTooLarge");
}

TEST_P(ApiObjects, AListCanBeLimitedByLabels) {
  world().Prepare(NewClaim("a").Label("k", "1"));
  world().Prepare(NewClaim("b").Label("k", "2"));
  world().Prepare(NewClaim("c"));
  std::string names;
  std::string version;
  Pages(world(), "labelSelector=k%3D2").Next(names, version);
  EXPECT_EQ(names, "b");
  Pages(world(), "labelSelector=k").Next(names, version);
  EXPECT_EQ(names, "ab");
  Pages(world(), "labelSelector=k!%3D2").Next(names, version);
  EXPECT_EQ(names, "ac");
}

// --- Events ---

Json EventAbout(const std::string& ns, const std::string& about_ns) {
  return {{"apiVersion", "v1"},
          {"kind", "Event"},
          {"metadata", {{"name", "e"}, {"namespace", ns}}},
          {"involvedObject", {{"kind", "Pod"}, {"namespace", about_ns}, {"name", "p"}}},
          {"reason", "Because"},
          {"message", "text"},
          {"type", "Warning"}};
}

TEST_P(ApiObjects, AnEventLivesInTheNamespaceOfItsObject) {
  EXPECT_EQ(world().Post(EventAbout(world().ns(), "elsewhere")).status, 422);
  EXPECT_EQ(world().Post(EventAbout(world().ns(), world().ns())).status, 201);
}

TEST_P(ApiObjects, AnEventWithMicroTimeNeedsAReporterAndAnAction) {
  Json event = EventAbout(world().ns(), world().ns());
  event["eventTime"] = "2026-12-01T05:38:00.000000Z";
  EXPECT_EQ(world().Post(event).status, 422);
  event["reportingComponent"] = "resource_claim";
  event["reportingInstance"] = "host";
  event["action"] = "Reconcile";
  EXPECT_EQ(world().Post(event).status, 201);
}

}  // namespace
}  // namespace dra::test
