// SPDX-License-Identifier: Apache-2.0
//
// The invariants find what they are for, and nothing in a regular life.
#include "support/invariants.h"

#include <gtest/gtest.h>

#include "support/builders.h"
#include "support/fake_api_server.h"

namespace dra::test {
namespace {

SeenVersion Seen(std::uint64_t version, const std::string& type, const Json& object) {
  return {version, type, object};
}

ClaimBuilder Claim() { return ClaimBuilder("ns", "c").Uid("claim-uid"); }
PodBuilder Pod() { return PodBuilder("ns", "p").Uid("pod-uid"); }

std::vector<std::string> Judged(const std::vector<SeenVersion>& history, bool armed = true) {
  std::vector<std::string> texts;
  for (const Violation& violation : JudgeHistory(history, [=](std::uint64_t) { return armed; })) {
    texts.push_back(violation.what.substr(0, violation.what.find(',')));
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(InvariantsTest, ARegularLifeBreaksNone) {
  const ClaimBuilder generated = Claim().OwnedBy("p", "pod-uid", "gpu");
  EXPECT_EQ(Judged({
                Seen(1, "ADDED", Pod()),
                Seen(2, "ADDED", generated),
                Seen(3, "MODIFIED", ClaimBuilder(generated).Protected()),
                Seen(4, "MODIFIED", ClaimBuilder(generated).Allocated().Reserved("p", "pod-uid")),
                Seen(5, "MODIFIED", Pod().Phase("Succeeded")),
                Seen(6, "MODIFIED", ClaimBuilder(generated).Protected()),
                Seen(7, "MODIFIED", generated),
                Seen(8, "DELETED", generated),
            }),
            Texts());
}

TEST(InvariantsTest, AReservationWithoutAllocationIsFound) {
  EXPECT_EQ(Judged({Seen(1, "ADDED", Claim().Reserved("p", "pod-uid"))}), Texts{"invariant 1"});
}

TEST(InvariantsTest, AFinalizerThatGoesBeforeTheAllocationIsFound) {
  const SeenVersion before = Seen(1, "ADDED", Claim().Allocated());
  const Json bare = Claim().AllocatedWithoutFinalizer();
  EXPECT_EQ(Judged({before, Seen(2, "MODIFIED", bare)}), Texts{"invariant 2"});
  EXPECT_EQ(Judged({before, Seen(2, "DELETED", bare)}), Texts{"invariant 2"});
}

TEST(InvariantsTest, ASecondLivingClaimForOneEntryIsFound) {
  const SeenVersion first = Seen(1, "ADDED", Claim().OwnedBy("p", "pod-uid", "gpu"));
  const auto second = [](const std::string& uid, const std::string& entry) {
    return ClaimBuilder("ns", "d").Uid("other-uid").OwnedBy("p", uid, entry);
  };
  EXPECT_EQ(Judged({first, Seen(2, "ADDED", second("pod-uid", "gpu"))}), Texts{"invariant 3"});
  EXPECT_EQ(Judged({first, Seen(2, "ADDED", second("pod-uid", "disk"))}), Texts());
  EXPECT_EQ(Judged({first, Seen(2, "ADDED", second("replaced", "gpu"))}), Texts());
}

TEST(InvariantsTest, AClaimThatIsBeingDeletedIsNoTwin) {
  const ClaimBuilder old = Claim().OwnedBy("p", "pod-uid", "gpu").Protected();
  EXPECT_EQ(Judged({Seen(1, "ADDED", old), Seen(2, "MODIFIED", ClaimBuilder(old).Deleting()),
                    Seen(3, "ADDED",
                         ClaimBuilder("ns", "d").Uid("other").OwnedBy("p", "pod-uid", "gpu"))}),
            Texts());
}

TEST(InvariantsTest, ATerminalPodThatIsAddedIsFound) {
  const std::vector<SeenVersion> history = {
      Seen(1, "ADDED", Claim().Allocated()), Seen(2, "ADDED", Pod().Phase("Failed")),
      Seen(3, "MODIFIED", Claim().Allocated().Reserved("p", "pod-uid"))};
  EXPECT_EQ(Judged(history), Texts{"invariant 4"});
  EXPECT_EQ(Judged(history, false), Texts()) << "tests prepare such states while nobody runs";
}

TEST(InvariantsTest, ATerminalPodMayStayUntilItIsRemoved) {
  const Json reserved = Claim().Allocated().Reserved("p", "pod-uid");
  EXPECT_EQ(Judged({Seen(1, "ADDED", reserved), Seen(2, "ADDED", Pod().Phase("Failed")),
                    Seen(3, "MODIFIED", reserved)}),
            Texts());
}

RecordedWrite Write(const std::string& version) {
  return {kube::Method::kPatch, "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims/c/status",
          "{}", 200, version};
}

TEST(InvariantsTest, AHotLoopIsFoundOnce) {
  const std::vector<RecordedWrite> writes(5, Write(""));
  EXPECT_EQ(JudgeWrites({}, writes, 5).size(), 0U);
  EXPECT_EQ(JudgeWrites({}, writes, 3).size(), 1U);
}

TEST(InvariantsTest, AWriteOfOursThatLosesAForeignFieldIsFound) {
  Json before = Claim().Allocated().Reserved("p", "pod-uid");
  before["status"]["fromTheFuture"] = "kept";
  Json after = before;
  after["status"].erase("reservedFor");
  const auto judged = [&](const std::vector<RecordedWrite>& writes) {
    return JudgeWrites({Seen(1, "ADDED", before), Seen(2, "MODIFIED", after)}, writes, 10).size();
  };
  EXPECT_EQ(judged({Write("2")}), 0U);
  after["status"].erase("fromTheFuture");
  EXPECT_EQ(judged({Write("2")}), 1U);
  EXPECT_EQ(judged({}), 0U) << "others may change what they like";
}

TEST(InvariantsTest, AnAllocationCanOnlyGoAsAWhole) {
  const Json before = Claim().Allocated();
  Json after = before;
  after["status"]["allocation"]["devices"]["results"][0]["device"] = "gpu-9";
  EXPECT_EQ(
      JudgeWrites({Seen(1, "ADDED", before), Seen(2, "MODIFIED", after)}, {Write("2")}, 10).size(),
      1U);
}

// The watch itself, on a fake server.

class InvariantWatchTest : public ::testing::Test {
 protected:
  void AwaitEnd(const InvariantWatch& watch) {
    server_.Put(PodBuilder("ns", "end"));
    server_.Put(ClaimBuilder("ns", "end"));
    const auto deadline = clock_.Now() + std::chrono::seconds(10);
    while (!watch.HasSeen("end") && clock_.Now() < deadline) {
      clock_.SleepFor(std::chrono::milliseconds(1), {});
    }
    ASSERT_TRUE(watch.HasSeen("end"));
  }

  SystemClock clock_;
  FakeApiServer server_{clock_};
};

TEST_F(InvariantWatchTest, AViolationComesWithTheHistoryOfItsObject) {
  InvariantWatch watch(server_, "ns", "1000");
  server_.Put(ClaimBuilder("ns", "c").Reserved("p", "u"));
  server_.Put(ClaimBuilder("ns", "unrelated"));
  AwaitEnd(watch);
  const auto violations = watch.Violations({}, 10);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_NE(violations[0].find("1001 ADDED"), std::string::npos);
  EXPECT_EQ(violations[0].find("unrelated"), std::string::npos);
}

TEST_F(InvariantWatchTest, NothingIsMissedWhenTheWatchIsCut) {
  InvariantWatch watch(server_, "ns", "1000");
  for (int i = 0; i < 20; ++i) {
    server_.Put(ClaimBuilder("ns", "c").Label("i", std::to_string(i)));
    server_.CutWatches(kube::kResourceClaims);
  }
  AwaitEnd(watch);
  EXPECT_EQ(watch.History().size(), 22U);
  EXPECT_TRUE(watch.Violations({}, 10).empty());
}

TEST_F(InvariantWatchTest, OnlyTheTimeInWhichTheProductRunsIsJudgedForReservations) {
  InvariantWatch watch(server_, "ns", "1000");
  server_.Put(PodBuilder("ns", "p").Uid("u").Phase("Failed"));
  server_.Put(ClaimBuilder("ns", "before").Allocated());
  server_.Put(ClaimBuilder("ns", "before").Allocated().Reserved("p", "u"));
  watch.Arm(1003);
  server_.Put(ClaimBuilder("ns", "during").Allocated().Reserved("p", "u"));
  watch.Disarm(1004);
  server_.Put(ClaimBuilder("ns", "after").Allocated().Reserved("p", "u"));
  AwaitEnd(watch);
  const auto violations = watch.Violations({}, 10);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_NE(violations[0].find("during"), std::string::npos);
}

TEST_F(InvariantWatchTest, AWatchThatLostEventsSaysSo) {
  server_.Put(ClaimBuilder("ns", "c"));
  server_.Compact();
  InvariantWatch watch(server_, "ns", "1000");
  const auto deadline = clock_.Now() + std::chrono::seconds(10);
  while (watch.Violations({}, 10).size() < 2 && clock_.Now() < deadline) {
    clock_.SleepFor(std::chrono::milliseconds(1), {});
  }
  EXPECT_EQ(watch.Violations({}, 10).size(), 2U) << "one for pods, one for claims";
}

}  // namespace
}  // namespace dra::test
