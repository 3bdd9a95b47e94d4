// SPDX-License-Identifier: Apache-2.0
#include "api/decoder.h"

#include <chrono>

#include <gtest/gtest.h>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/resource_claim_template.h"
#include "unit/api/fixtures.h"

namespace dra::api {
namespace {

using test::Fixture;
using test::FixtureText;

template <class T>
T MustDecode(std::string_view json) {
  Decoder decoder;
  Result<T> result = decoder.Decode<T>(json);
  if (result.ok()) return *std::move(result);
  ADD_FAILURE() << result.error().Describe();
  return T();
}

template <class T>
std::string Failure(std::string_view json) {
  Decoder decoder;
  const Result<T> result = decoder.Decode<T>(json);
  if (result.ok()) return "no error";
  EXPECT_EQ(result.error().code(), Code::kMalformed);
  return result.error().message();
}

TEST(DecoderTest, ReadsTheMetadataOfAPod) {
  const ObjectMeta meta = MustDecode<Pod>(Fixture("pod")).meta;
  EXPECT_EQ(meta.key().ToString(), "ml/trainer-0");
  EXPECT_EQ(meta.uid, "5b0c9a55-9f0b-4d8e-8f4b-0f3ac7f60a11");
  EXPECT_EQ(meta.resource_version, ResourceVersion("918273"));
  EXPECT_EQ(meta.creation_timestamp, "2026-12-01T05:38:00Z");
  EXPECT_EQ(meta.deletion_timestamp, "2026-12-01T05:48:30Z");
  EXPECT_EQ(meta.finalizers,
            (std::vector<std::string>{
                "batch.kubernetes.io/job-tracking",
                "example.com/a-finalizer-with-a-name-longer-than-the-small-buffer"}));
  const OwnerReference job{"batch/v1", "Job", "trainer", "0e6f7a9c-1111-4c8e-9a55-0b5c9f0b4d8e",
                           true};
  EXPECT_EQ(meta.owners,
            (std::vector<OwnerReference>{{"example.com/v1", "Watcher", "w", "aaaa", false}, job}));
}

TEST(DecoderTest, ReadsWhatClaimDecisionsNeedOfAPod) {
  const Pod pod = MustDecode<Pod>(Fixture("pod"));
  EXPECT_EQ(pod.node_name, "node-with-a-rather-long-name-17");
  EXPECT_EQ(pod.scheduler_name, "default-scheduler");
  EXPECT_EQ(pod.phase, "Running");
  EXPECT_EQ(pod.pod_group, "gang-1");
  EXPECT_EQ(pod.extended_claim, "trainer-0-extended-resources-9q8z7");
  EXPECT_EQ(pod.claims, (std::vector<PodClaimEntry>{{"gpu", std::nullopt, "one-gpu"},
                                                    {"shared", "shared-accelerator", std::nullopt},
                                                    {"future", std::nullopt, std::nullopt}}));
  EXPECT_EQ(pod.claim_statuses, (std::vector<PodClaimStatus>{{"gpu", "trainer-0-gpu-x7k2p"},
                                                             {"future", std::nullopt}}));
}

TEST(DecoderTest, ReadsAClaim) {
  const ResourceClaim claim = MustDecode<ResourceClaim>(Fixture("resource_claim"));
  EXPECT_EQ(claim.pod_claim_name, "gpu");
  EXPECT_TRUE(claim.extended);
  EXPECT_TRUE(claim.admin_access);
  EXPECT_TRUE(claim.allocated);
  const ConsumerReference pod{"", "pods", "trainer-0", "5b0c9a55-9f0b-4d8e-8f4b-0f3ac7f60a11"};
  const ConsumerReference group{"scheduling.k8s.io", "podgroups", "gang-1",
                                "99990000-1111-4222-8333-444455556666"};
  EXPECT_EQ(claim.reserved_for, (std::vector<ConsumerReference>{pod, group}));
  ASSERT_NE(claim.meta.Controller(), nullptr);
  EXPECT_EQ(claim.meta.Controller()->kind, "Pod");
}

TEST(DecoderTest, LeavesTheDefaultsOfAClaimThatSaysNothing) {
  const ResourceClaim claim = MustDecode<ResourceClaim>(
      R"({"metadata":{"annotations":{"resource.kubernetes.io/extended-resource-claim":"yes"}},
          "spec":{"devices":{"requests":[{"exactly":{"adminAccess":false}},{"name":"x"}]}},
          "status":{}})");
  EXPECT_EQ(claim.pod_claim_name, std::nullopt);
  EXPECT_FALSE(claim.extended);
  EXPECT_FALSE(claim.admin_access);
  EXPECT_FALSE(claim.allocated);
  EXPECT_TRUE(claim.reserved_for.empty());
}

TEST(DecoderTest, KeepsTheSpecOfATemplateByteByByte) {
  const std::string text = FixtureText("resource_claim_template");
  const auto object = MustDecode<ResourceClaimTemplate>(text);
  EXPECT_NE(text.find("\"spec\": " + object.spec_json + "\n  }"), std::string::npos);
  EXPECT_TRUE(object.spec_json.starts_with("{\"zFuture\": 1.50e3,"));
  EXPECT_TRUE(object.spec_json.ends_with("\"aFuture\": null}"));
  EXPECT_EQ(object.labels_json, R"({ "team": "ml", "cost-center": "42" })");
  EXPECT_TRUE(object.annotations_json.starts_with(R"({"example.com/note": "a \"quoted\" note\n")"));
  EXPECT_TRUE(object.admin_access);
  EXPECT_EQ(object.meta.name, "one-gpu");
}

TEST(DecoderTest, TakesNullAndAbsenceAsTheSame) {
  const Pod pod = MustDecode<Pod>(
      R"({"metadata":{"name":null,"deletionTimestamp":null,"finalizers":null,"ownerReferences":[null,{}]},
          "spec":{"resourceClaims":null},"status":null})");
  EXPECT_EQ(pod.meta.name, "");
  EXPECT_FALSE(pod.meta.deleting());
  EXPECT_TRUE(pod.meta.finalizers.empty());
  EXPECT_EQ(pod.meta.owners.size(), 1U);
  EXPECT_TRUE(pod.claims.empty());
}

TEST(DecoderTest, LetsTheLastOfRepeatedKeysCount) {
  const Pod pod = MustDecode<Pod>(
      R"({"metadata":{"name":"a","finalizers":["x","y"]},"metadata":{"name":"b","finalizers":["z"]},
          "metadata":{"uid":"u"}})");
  EXPECT_EQ(pod.meta.name, "b");
  EXPECT_EQ(pod.meta.uid, "u");
  EXPECT_EQ(pod.meta.finalizers, std::vector<std::string>{"z"});
}

TEST(DecoderTest, UnderstandsEscapesInKeysAndValues) {
  const Pod pod =
      MustDecode<Pod>(R"({"meta\u0064ata":{"\u006eame":"a\u00fc\n\ud83d\ude00\"\\\/"}})");
  EXPECT_EQ(pod.meta.name, "a\xC3\xBC\n\xF0\x9F\x98\x80\"\\/");
}

TEST(DecoderTest, NamesThePathOfAValueOfAnotherType) {
  EXPECT_EQ(Failure<Pod>(R"({"metadata":{"name":5}})"),
            "metadata.name: expected string, found number");
  EXPECT_EQ(Failure<Pod>(R"({"metadata":[]})"), "metadata: expected object, found list");
  EXPECT_EQ(Failure<Pod>(R"({"metadata":{"ownerReferences":[{"controller":"true"}]}})"),
            "metadata.ownerReferences[].controller: expected bool, found string");
  EXPECT_EQ(Failure<Pod>(R"({"metadata":{"finalizers":["a",{}]}})"),
            "metadata.finalizers[]: expected string, found object");
  EXPECT_EQ(Failure<Pod>(R"({"status":{"resourceClaimStatuses":{}}})"),
            "status.resourceClaimStatuses: expected list, found object");
  EXPECT_EQ(Failure<ResourceClaim>(R"({"status":{"allocation":true}})"),
            "status.allocation: expected object, found bool");
  EXPECT_EQ(Failure<ResourceClaim>(
                R"({"metadata":{"annotations":{"resource.kubernetes.io/pod-claim-name":1}}})"),
            "metadata.annotations['resource.kubernetes.io/pod-claim-name']: expected string, found "
            "number");
  EXPECT_EQ(Failure<ResourceClaimTemplate>(R"({"spec":{"spec":"x"}})"),
            "spec.spec: expected object, found string");
}

TEST(DecoderTest, RefusesRawTextThatIsNotJson) {
  EXPECT_EQ(Failure<ResourceClaimTemplate>(R"({"spec":{"spec":{"devices":{"x":tru}}}})"),
            "spec.spec: not valid JSON");
  EXPECT_EQ(Failure<ResourceClaimTemplate>(R"({"spec":{"metadata":{"labels":{"a":[}}}}})"),
            "spec.metadata.labels: not valid JSON");
}

TEST(DecoderTest, LooksForWrongTypesInsideRawText) {
  EXPECT_EQ(Failure<ResourceClaimTemplate>(
                R"({"spec":{"spec":{"devices":{"requests":[{"exactly":{"adminAccess":1}}]}}}})"),
            "spec.spec.devices.requests[].exactly.adminAccess: expected bool, found number");
}

TEST(DecoderTest, StoresStringsAndListsWithoutSpareCapacity) {
  const Pod pod = MustDecode<Pod>(Fixture("pod"));
  for (const std::string& text : {pod.meta.uid, pod.node_name, pod.meta.finalizers[1]}) {
    ASSERT_GT(text.size(), 15U);  // shorter ones live in the string itself
  }
  EXPECT_EQ(pod.meta.uid.capacity(), pod.meta.uid.size());
  EXPECT_EQ(pod.scheduler_name.capacity(), pod.scheduler_name.size());
  EXPECT_EQ(pod.meta.finalizers[1].capacity(), pod.meta.finalizers[1].size());
  EXPECT_EQ(pod.claims[1].claim_name->capacity(), pod.claims[1].claim_name->size());
  EXPECT_EQ(pod.meta.resource_version.text(), "918273");
  EXPECT_EQ(pod.claims.capacity(), pod.claims.size());
  EXPECT_EQ(pod.meta.finalizers.capacity(), pod.meta.finalizers.size());
}

TEST(DecoderTest, ReadsAPageOfAList) {
  const std::string json = R"({"kind":"PodList","apiVersion":"v1","metadata":{
      "resourceVersion":"77","continue":"token","remainingItemCount":9},"items":[)" +
                           Fixture("pod") + R"(,{"metadata":{"name":"second"}}]})";
  Decoder decoder;
  const auto page = decoder.DecodeList<Pod>(json);
  ASSERT_TRUE(page.ok()) << page.error().Describe();
  EXPECT_EQ(page->resource_version, ResourceVersion("77"));
  EXPECT_EQ(page->continue_token, "token");
  ASSERT_EQ(page->items.size(), 2U);
  EXPECT_EQ(page->items[0].claims.size(), 3U);
  EXPECT_EQ(page->items[1].meta.name, "second");
}

TEST(DecoderTest, ReadsAListWithoutItems) {
  Decoder decoder;
  for (const char* items : {"[]", "null"}) {
    const auto page = decoder.DecodeList<ResourceClaim>(
        std::string(R"({"items":)") + items +
        R"(,"metadata":{"resourceVersion":"5"},"kind":"ResourceClaimList"})");
    ASSERT_TRUE(page.ok()) << page.error().Describe();
    EXPECT_TRUE(page->items.empty());
    EXPECT_EQ(page->continue_token, "");
  }
}

TEST(DecoderTest, DoesNotTakeAnotherAnswerForAnEmptyList) {
  Decoder decoder;
  for (const char* json : {R"({})", R"({"kind":"PodList","metadata":{},"items":[]})",
                           R"({"kind":"Status","metadata":{"resourceVersion":"1"},"items":[]})",
                           R"({"kind":"Pod","metadata":{"resourceVersion":"1","name":"x"}})"}) {
    const auto page = decoder.DecodeList<Pod>(json);
    ASSERT_FALSE(page.ok()) << json;
    EXPECT_EQ(page.error().code(), Code::kMalformed);
  }
}

TEST(DecoderTest, NamesThePathOfAWrongValueInAList) {
  Decoder decoder;
  const auto page = decoder.DecodeList<Pod>(
      R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{"spec":{"nodeName":[]}}]})");
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().message(), "items[].spec.nodeName: expected string, found list");
}

TEST(DecoderTest, WorksOnAfterAnError) {
  Decoder decoder;
  EXPECT_FALSE(decoder.Decode<Pod>("{\"metadata\":{\"name\":").ok());
  const auto pod = decoder.Decode<Pod>(Fixture("pod"));
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->meta.name, "trainer-0");
}

// Not a check of speed (sanitizers and neighbours decide that): it shows the figure of this build.
TEST(DecoderTest, ShowsHowLongAPodTakes) {
  const std::string json = Fixture("pod");
  Decoder decoder;
  constexpr int kRounds = 2000;
  std::size_t claims = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRounds; ++i) claims += decoder.Decode<Pod>(json)->claims.size();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(claims, 3U * kRounds);
  RecordProperty("bytes", static_cast<int>(json.size()));
  RecordProperty("us_per_pod", std::to_string(time.count() / kRounds));
}

}  // namespace
}  // namespace dra::api
