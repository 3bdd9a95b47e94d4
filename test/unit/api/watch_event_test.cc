// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "api/decoder.h"
#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/status.h"
#include "unit/api/fixtures.h"

namespace dra::api {
namespace {

using test::Fixture;
using test::WatchLine;

WatchEvent<Pod> MustDecode(std::string_view line) {
  Decoder decoder;
  auto event = decoder.DecodeWatchEvent<Pod>(line);
  if (event.ok()) return *std::move(event);
  ADD_FAILURE() << event.error().Describe();
  return {};
}

std::string Failure(std::string_view line) {
  Decoder decoder;
  const auto event = decoder.DecodeWatchEvent<Pod>(line);
  if (event.ok()) return "no error";
  EXPECT_EQ(event.error().code(), Code::kMalformed);
  return event.error().message();
}

TEST(WatchEventTest, ReadsTheThreeTypesThatCarryAnObject) {
  const std::pair<const char*, WatchEventType> types[] = {{"ADDED", WatchEventType::kAdded},
                                                          {"MODIFIED", WatchEventType::kModified},
                                                          {"DELETED", WatchEventType::kDeleted}};
  for (const auto& [name, type] : types) {
    const WatchEvent<Pod> event = MustDecode(WatchLine(name, Fixture("pod")));
    EXPECT_EQ(event.type, type);
    EXPECT_EQ(event.object.meta.name, "trainer-0");
    EXPECT_EQ(event.object.claim_statuses.size(), 2U);
    EXPECT_FALSE(event.error.has_value());
  }
}

TEST(WatchEventTest, DoesNotMindAnObjectBeforeItsType) {
  const WatchEvent<Pod> event =
      MustDecode("{\"object\": " + Fixture("pod") + " ,\"more\":[1,{}], \"type\": \"DELETED\"}");
  EXPECT_EQ(event.type, WatchEventType::kDeleted);
  EXPECT_EQ(event.object.meta.name, "trainer-0");
}

TEST(WatchEventTest, ReadsABookmark) {
  const WatchEvent<Pod> event = MustDecode(WatchLine(
      "BOOKMARK",
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"12746","creationTimestamp":null},"spec":{"containers":null},"status":{}})"));
  EXPECT_EQ(event.type, WatchEventType::kBookmark);
  EXPECT_EQ(event.resource_version, ResourceVersion("12746"));
  EXPECT_FALSE(event.initial_events_end);
}

TEST(WatchEventTest, SeesTheEndOfTheInitialEventsInABookmark) {
  const WatchEvent<Pod> event = MustDecode(WatchLine(
      "BOOKMARK",
      R"({"metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"9"}})"));
  EXPECT_TRUE(event.initial_events_end);
  EXPECT_EQ(event.resource_version, ResourceVersion("9"));
}

TEST(WatchEventTest, RefusesABookmarkWithoutVersion) {
  EXPECT_EQ(Failure(WatchLine("BOOKMARK", R"({"metadata":{}})")),
            "metadata.resourceVersion: missing in a bookmark");
}

TEST(WatchEventTest, TurnsAGoneErrorIntoExpired) {
  const WatchEvent<Pod> event = MustDecode(WatchLine(
      "ERROR",
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 5 of 10","reason":"Expired","code":410})"));
  EXPECT_EQ(event.type, WatchEventType::kError);
  ASSERT_TRUE(event.error.has_value());
  EXPECT_EQ(event.error->code(), Code::kExpired);
  EXPECT_EQ(event.error->http_status, 410);
  EXPECT_EQ(event.error->message(), "too old resource version: 5 of 10");
}

TEST(WatchEventTest, TellsAVersionFromTheFutureApartFromOtherTimeouts) {
  const WatchEvent<Pod> future = MustDecode(WatchLine(
      "ERROR",
      R"({"kind":"Status","status":"Failure","message":"Timeout: Too large resource version: 9, current: 5","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504})"));
  ASSERT_TRUE(future.error.has_value());
  EXPECT_EQ(future.error->code(), Code::kTimeout);
  EXPECT_TRUE(IsTooLargeResourceVersion(*future.error));
  EXPECT_EQ(future.error->retry_after, std::chrono::seconds(1));

  const WatchEvent<Pod> other = MustDecode(
      WatchLine("ERROR", R"({"kind":"Status","reason":"Timeout","message":"m","code":504})"));
  ASSERT_TRUE(other.error.has_value());
  EXPECT_EQ(other.error->code(), Code::kTimeout);
  EXPECT_FALSE(IsTooLargeResourceVersion(*other.error));
}

TEST(WatchEventTest, TakesAnErrorThatIsNoStatusForAnErrorAllTheSame) {
  const WatchEvent<Pod> event = MustDecode(WatchLine("ERROR", R"({"kind":"Pod"})"));
  ASSERT_TRUE(event.error.has_value());
  EXPECT_EQ(event.error->code(), Code::kInternal);
}

TEST(WatchEventTest, RefusesFramesThatAreNotOne) {
  EXPECT_EQ(Failure(R"({"type":"ADDED"})"), "object: missing");
  EXPECT_EQ(Failure(R"({"object":{}})"), "type: missing");
  EXPECT_EQ(Failure(WatchLine("RENAMED", "{}")), "type: not one that we know");
  EXPECT_EQ(Failure(R"({"type":"ADDED","type":"DELETED","object":{}})"), "type: twice");
  EXPECT_EQ(Failure(R"({"type":"ADDED","object":{},"object":{}})"), "object: twice");
  EXPECT_NE(Failure(WatchLine("ADDED", "null")), "no error");
  EXPECT_NE(Failure(WatchLine("ADDED", "[]")), "no error");
  EXPECT_NE(Failure(R"({"type":null,"object":{}})"), "no error");
  EXPECT_EQ(Failure(WatchLine("ADDED", "{}") + WatchLine("ADDED", "{}")),
            "JSON: text after the end");
}

TEST(WatchEventTest, NamesThePathOfAWrongValue) {
  EXPECT_EQ(Failure(WatchLine("ADDED", R"({"metadata":{"uid":true}})")),
            "metadata.uid: expected string, found bool");
  EXPECT_EQ(Failure(R"({"object":{"metadata":{"uid":true}},"type":"ADDED"})"),
            "metadata.uid: expected string, found bool");
}

}  // namespace
}  // namespace dra::api
