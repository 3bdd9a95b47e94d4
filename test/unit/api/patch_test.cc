// SPDX-License-Identifier: Apache-2.0
#include "api/patch.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "api/decoder.h"
#include "base/time.h"
#include "unit/api/fixtures.h"

namespace dra::api {
namespace {

const std::string kHostile = std::string("a\"b\\c\n\x1b") + "\xFF\xC3" + "'{}";
const std::string kHostileJson = R"(a\"b\\c\n\u001b)"
                                 "\xEF\xBF\xBD\xEF\xBF\xBD'{}";

ResourceClaim Claim() {
  ResourceClaim claim;
  claim.meta.ns = "ml";
  claim.meta.name = "c";
  claim.meta.uid = "U";
  claim.meta.resource_version = ResourceVersion("12");
  return claim;
}

Pod Owner() {
  Pod pod;
  pod.meta.ns = "ml";
  pod.meta.name = "p";
  pod.meta.uid = "PU";
  return pod;
}

TEST(PatchTest, GeneratesAClaimFromTheTextOfTheTemplate) {
  Decoder decoder;
  const auto from =
      decoder.Decode<ResourceClaimTemplate>(test::FixtureText("resource_claim_template"));
  ASSERT_TRUE(from.ok());
  const Pod owner = Owner();
  EXPECT_EQ(
      GeneratedClaimBody({*from, owner, "gpu", "p-gpu-x7k2p", "p-gpu-"}),
      R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"p-gpu-x7k2p",)"
      R"("generateName":"p-gpu-","namespace":"ml","annotations":{"example.com/note":)"
      R"("a \"quoted\" note\n","resource.kubernetes.io/pod-claim-name":"gpu"},"ownerReferences":)"
      R"([{"apiVersion":"v1","kind":"Pod","name":"p","uid":"PU","controller":true}],"labels":)"
      R"({ "team": "ml", "cost-center": "42" }},"spec":)" +
          from->spec_json + "}");
}

TEST(PatchTest, GeneratesAClaimFromABareTemplate) {
  const ResourceClaimTemplate from;
  const Pod owner = Owner();
  EXPECT_EQ(
      GeneratedClaimBody({from, owner, "e", "p-e-abcde", "p-e-"}),
      R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"p-e-abcde",)"
      R"("generateName":"p-e-","namespace":"ml","annotations":{"resource.kubernetes.io/)"
      R"(pod-claim-name":"e"},"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p",)"
      R"("uid":"PU","controller":true}]},"spec":{}})");
}

TEST(PatchTest, AppliesTheNamedStatusesSortedAndOnce) {
  EXPECT_EQ(
      PodClaimStatusesApply(
          Owner(), {{"z", "claim-z"}, {"none", std::nullopt}, {"a", "old"}, {"a", "claim-a"}}),
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ml","uid":"PU"},)"
      R"("status":{"resourceClaimStatuses":[{"name":"a","resourceClaimName":"claim-a"},)"
      R"({"name":"z","resourceClaimName":"claim-z"}]}})");
}

TEST(PatchTest, ReservesForOneConsumer) {
  EXPECT_EQ(ReserveConsumer(Claim(), {"", "pods", "p", "PU"}),
            R"({"metadata":{"uid":"U","resourceVersion":"12"},)"
            R"("status":{"reservedFor":[{"resource":"pods","name":"p","uid":"PU"}]}})");
  EXPECT_EQ(ReserveConsumer(Claim(), {"scheduling.k8s.io", "podgroups", "g", "GU"}),
            R"({"metadata":{"uid":"U","resourceVersion":"12"},"status":{"reservedFor":)"
            R"([{"apiGroup":"scheduling.k8s.io","resource":"podgroups","name":"g","uid":"GU"}]}})");
}

TEST(PatchTest, ReleasesOnlyTheConsumersThatItNames) {
  EXPECT_EQ(ReleaseConsumers(Claim(), {{"", "pods", "p", "PU"}, {"", "pods", "q", "QU"}}),
            R"({"metadata":{"uid":"U"},"status":{"reservedFor":[{"$patch":"delete","uid":"PU"},)"
            R"({"$patch":"delete","uid":"QU"}]}})");
}

TEST(PatchTest, ReleasesAllAndDeallocatesOnlyWhenAsked) {
  EXPECT_EQ(ReleaseAll(Claim(), true), R"({"metadata":{"uid":"U","resourceVersion":"12"},)"
                                       R"("status":{"reservedFor":null,"allocation":null}})");
  EXPECT_EQ(ReleaseAll(Claim(), false),
            R"({"metadata":{"uid":"U","resourceVersion":"12"},"status":{"reservedFor":null}})");
}

TEST(PatchTest, RemovesAFinalizer) {
  EXPECT_EQ(RemoveFinalizer("U", "12", {"x", "y"}),
            R"({"metadata":{"uid":"U","resourceVersion":"12","finalizers":["x","y"]}})");
  EXPECT_EQ(RemoveFinalizer("U", "12", {}),
            R"({"metadata":{"uid":"U","resourceVersion":"12","finalizers":null}})");
}

TEST(PatchTest, DeletesUnderPreconditions) {
  EXPECT_EQ(DeleteOptionsBody("U", "12"), R"({"apiVersion":"v1","kind":"DeleteOptions",)"
                                          R"("preconditions":{"uid":"U","resourceVersion":"12"}})");
  EXPECT_EQ(DeleteOptionsBody("U", ""),
            R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"U"}})");
}

EventData SomeEvent() {
  EventData event;
  event.ns = "ml";
  event.name = "p.17a";
  event.about = {"v1", "Pod", "ml", "p", "PU", "5"};
  event.type = "Warning";
  event.reason = "FailedResourceClaimCreation";
  event.message = "PodResourceClaim gpu: no template";
  event.first = *ParseTime("2026-12-01T05:38:00.9Z");
  event.last = *ParseTime("2026-12-01T05:39:00Z");
  event.component = "resource_claim";
  event.instance = "dra-0";
  return event;
}

TEST(PatchTest, WritesAnEvent) {
  EXPECT_EQ(
      EventBody(SomeEvent()),
      R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"p.17a","namespace":"ml"},)"
      R"("involvedObject":{"apiVersion":"v1","kind":"Pod","namespace":"ml","name":"p","uid":"PU",)"
      R"("resourceVersion":"5"},"reason":"FailedResourceClaimCreation","message":)"
      R"("PodResourceClaim gpu: no template","type":"Warning","count":1,)"
      R"("firstTimestamp":"2026-12-01T05:38:00Z","lastTimestamp":"2026-12-01T05:39:00Z",)"
      R"("source":{"component":"resource_claim"},"reportingComponent":"resource_claim",)"
      R"("reportingInstance":"dra-0"})");
  EXPECT_EQ(EventCountPatch(3, *ParseTime("2026-12-01T05:39:00Z")),
            R"({"count":3,"lastTimestamp":"2026-12-01T05:39:00Z"})");
}

TEST(PatchTest, CutsAnEventMessageAfterItIsMadeValid) {
  EventData event = SomeEvent();
  event.message = std::string(1020, 'x') + std::string(100, '\xFF');  // each grows to 3 bytes
  const auto message = nlohmann::json::parse(EventBody(event)).at("message").get<std::string>();
  EXPECT_LE(message.size(), kMaxEventMessage);
  EXPECT_TRUE(message.ends_with("x..."));
}

TEST(PatchTest, EscapesHostileStringsInEveryBody) {
  ResourceClaim claim = Claim();
  claim.meta.uid = kHostile;
  Pod pod = Owner();
  pod.meta.name = kHostile;
  const ResourceClaimTemplate from;
  EventData event = SomeEvent();
  event.message = event.reason = event.about.name = kHostile;
  const ConsumerReference consumer{kHostile, kHostile, kHostile, kHostile};
  for (const std::string& body :
       {GeneratedClaimBody({from, pod, kHostile, kHostile, kHostile}),
        PodClaimStatusesApply(pod, {{kHostile, kHostile}}), ReserveConsumer(claim, consumer),
        ReleaseConsumers(claim, {consumer}), ReleaseAll(claim, true),
        RemoveFinalizer(kHostile, kHostile, {kHostile}), DeleteOptionsBody(kHostile, kHostile),
        EventBody(event)}) {
    EXPECT_TRUE(nlohmann::json::accept(body)) << body;
    EXPECT_NE(body.find(kHostileJson), std::string::npos) << body;
  }
}

TEST(PatchTest, IgnoresAnnotationsOfATemplateThatAreNoObject) {
  ResourceClaimTemplate from;
  from.annotations_json = "[1";
  const Pod owner = Owner();
  const auto body = nlohmann::json::parse(GeneratedClaimBody({from, owner, "e", "n", "g"}));
  EXPECT_EQ(body.at("metadata").at("annotations").size(), 1U);
}

}  // namespace
}  // namespace dra::api
