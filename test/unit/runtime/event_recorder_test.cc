// SPDX-License-Identifier: Apache-2.0
#include "runtime/event_recorder.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "kube/flow_control.h"
#include "metrics/client_probe.h"
#include "metrics/registry.h"
#include "support/fake_clock.h"

namespace dra::runtime {
namespace {

using nlohmann::json;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

// Keeps requests and answers them from a function; the default says yes to all.
class FakeTransport final : public kube::Transport {
 public:
  using Answer =
      std::function<Result<kube::Response>(const kube::Request&, const std::stop_token&)>;

  Result<kube::Response> Send(const kube::Request& request, const std::stop_token& stop) override {
    Answer answer;
    {
      MutexLock lock(mutex_);
      requests_.push_back(request);
      changed_.notify_all();
      answer = answer_;
    }
    if (answer) return answer(request, stop);
    return kube::Response{request.method == kube::Method::kPost ? 201 : 200, "{}", std::nullopt};
  }
  Result<kube::StreamResponse> Open(const kube::Request&, const std::stop_token&) override {
    return Error(Code::kInternal, "no streams here");
  }

  void SetAnswer(Answer answer) {
    MutexLock lock(mutex_);
    answer_ = std::move(answer);
  }
  bool AwaitRequests(std::size_t count) {
    MutexLock lock(mutex_);
    return changed_.wait_for(lock, seconds(10), [&] { return requests_.size() >= count; });
  }
  std::vector<kube::Request> requests() const {
    MutexLock lock(mutex_);
    return requests_;
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  Answer answer_ GUARDED_BY(mutex_);
  std::vector<kube::Request> requests_ GUARDED_BY(mutex_);
};

FakeTransport::Answer Status(int status, std::string reason) {
  const json body = {{"kind", "Status"}, {"code", status}, {"reason", reason}, {"message", "no"}};
  return [=](const kube::Request&, const std::stop_token&) -> Result<kube::Response> {
    return kube::Response{status, body.dump(), std::nullopt};
  };
}

EventRequest AboutPod(std::string message) {
  EventRequest event;
  event.api_version = "v1";
  event.kind = "Pod";
  event.ns = "ns";
  event.name = "p";
  event.uid = "u1";
  event.type = "Warning";
  event.reason = "FailedResourceClaimCreation";
  event.message = std::move(message);
  return event;
}

class EventRecorderTest : public testing::Test {
 protected:
  // Stops after everything was written and returns what was sent.
  std::vector<kube::Request> Flush() {
    recorder_.Stop(seconds(2));
    return transport_.requests();
  }

  std::string Metrics() { return registry_.Serialize(); }

  test::FakeClock clock_;
  metrics::Registry registry_;
  metrics::ClientProbe client_probe_{registry_, "h:1"};
  metrics::EventProbe probe_{registry_};
  FakeTransport transport_;
  kube::FlowControl flow_{kube::FlowControl::Options{}, clock_};
  kube::Client client_{transport_, flow_, client_probe_, clock_};
  AsyncEventRecorder recorder_{client_, clock_, probe_, {"resource_claim", "host"}};
};

TEST_F(EventRecorderTest, AnEventIsCreatedBesideItsObject) {
  recorder_.Emit(AboutPod("no template"));
  const auto requests = Flush();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].method, kube::Method::kPost);
  EXPECT_THAT(requests[0].target, StartsWith("/api/v1/namespaces/ns/events"));
  const json body = json::parse(requests[0].body);
  EXPECT_EQ(body["involvedObject"]["uid"], "u1");
  EXPECT_EQ(body["type"], "Warning");
  EXPECT_EQ(body["reason"], "FailedResourceClaimCreation");
  EXPECT_EQ(body["message"], "no template");
  EXPECT_EQ(body["source"]["component"], "resource_claim");
  EXPECT_THAT(body["metadata"]["name"].get<std::string>(), testing::MatchesRegex("p\\.[0-9a-f]+"));
  EXPECT_THAT(Metrics(), HasSubstr("dra_events_total{result=\"created\"} 1\n"));
}

TEST_F(EventRecorderTest, EventsOfClusterScopedObjectsGoToDefault) {
  EventRequest event = AboutPod("m");
  event.ns.clear();
  recorder_.Emit(event);
  const auto requests = Flush();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_THAT(requests[0].target, StartsWith("/api/v1/namespaces/default/events"));
}

TEST_F(EventRecorderTest, TheSameEventAgainRaisesTheCountOfTheFirst) {
  for (int i = 0; i < 3; ++i) recorder_.Emit(AboutPod("m"));
  const auto requests = Flush();
  ASSERT_THAT(requests, SizeIs(3));
  const std::string name = json::parse(requests[0].body)["metadata"]["name"];
  EXPECT_EQ(requests[2].method, kube::Method::kPatch);
  EXPECT_THAT(requests[2].target, HasSubstr("/events/" + name));
  EXPECT_EQ(json::parse(requests[2].body)["count"], 3);
  EXPECT_THAT(Metrics(), HasSubstr("dra_events_total{result=\"counted\"} 2\n"));
}

TEST_F(EventRecorderTest, AfterTenMinutesTheSameEventIsANewOne) {
  recorder_.Emit(AboutPod("m"));
  ASSERT_TRUE(transport_.AwaitRequests(1));
  recorder_.Emit(AboutPod("other"));  // when this is written the first has been remembered
  ASSERT_TRUE(transport_.AwaitRequests(2));
  clock_.Advance(minutes(10));
  recorder_.Emit(AboutPod("m"));
  const auto requests = Flush();
  ASSERT_THAT(requests, SizeIs(3));
  EXPECT_EQ(requests[2].method, kube::Method::kPost);
}

TEST_F(EventRecorderTest, AnEventThatTheServerForgotIsCreatedAnew) {
  recorder_.Emit(AboutPod("m"));
  ASSERT_TRUE(transport_.AwaitRequests(1));
  recorder_.Emit(AboutPod("other"));
  ASSERT_TRUE(transport_.AwaitRequests(2));
  transport_.SetAnswer([](const kube::Request& request, const std::stop_token& stop) {
    if (request.method == kube::Method::kPatch) return Status(404, "NotFound")(request, stop);
    return Result<kube::Response>(kube::Response{201, "{}", std::nullopt});
  });
  recorder_.Emit(AboutPod("m"));
  const auto requests = Flush();
  ASSERT_THAT(requests, SizeIs(4));
  EXPECT_EQ(requests[2].method, kube::Method::kPatch);
  EXPECT_EQ(requests[3].method, kube::Method::kPost);
}

TEST_F(EventRecorderTest, OneObjectGetsTwentyFiveEventsAndThenOneInFiveMinutes) {
  for (int i = 0; i < 30; ++i) recorder_.Emit(AboutPod("m"));
  ASSERT_TRUE(transport_.AwaitRequests(25));
  EventRequest other = AboutPod("m");
  other.uid = "u2";
  recorder_.Emit(other);  // another object has a budget of its own
  ASSERT_TRUE(transport_.AwaitRequests(26));
  clock_.Advance(minutes(5));
  recorder_.Emit(AboutPod("m"));
  recorder_.Emit(AboutPod("m"));
  EXPECT_THAT(Flush(), SizeIs(27));
  EXPECT_THAT(Metrics(), HasSubstr("dra_events_total{result=\"filtered\"} 6\n"));
}

TEST_F(EventRecorderTest, AfterTenMessagesForOneReasonTheRestBecomesOneEvent) {
  for (int i = 0; i < 13; ++i) recorder_.Emit(AboutPod("message " + std::to_string(i)));
  recorder_.Emit(AboutPod("message 3"));  // one of the ten keeps its own count
  const auto requests = Flush();
  ASSERT_THAT(requests, SizeIs(14));
  EXPECT_EQ(json::parse(requests[9].body)["message"], "message 9");
  EXPECT_EQ(json::parse(requests[10].body)["message"],
            "(combined from similar events): message 10");
  EXPECT_EQ(json::parse(requests[12].body)["count"], 3);
  EXPECT_EQ(json::parse(requests[13].body)["count"], 2);
}

TEST_F(EventRecorderTest, ALongNameStillMakesAValidEventName) {
  EventRequest event = AboutPod("m");
  event.name = std::string(235, 'a') + "." + std::string(17, 'b');
  recorder_.Emit(event);
  event.name = "Not a name / at all";
  event.uid = "u2";
  recorder_.Emit(event);
  const auto requests = Flush();
  ASSERT_THAT(requests, SizeIs(2));
  for (const auto& request : requests) {
    const std::string name = json::parse(request.body)["metadata"]["name"];
    EXPECT_TRUE(IsDnsSubdomain(name)) << name;
  }
}

TEST_F(EventRecorderTest, AMessageIsCutToWhatEveryEventApiTakes) {
  recorder_.Emit(AboutPod(std::string(100'000, 'x')));
  const auto requests = Flush();
  ASSERT_THAT(requests, SizeIs(1));
  const std::string message = json::parse(requests[0].body)["message"];
  EXPECT_THAT(message, SizeIs(1024));
  EXPECT_THAT(message, EndsWith("..."));
}

TEST_F(EventRecorderTest, ARefusedEventIsNotTriedAgain) {
  transport_.SetAnswer(Status(403, "Forbidden"));
  recorder_.Emit(AboutPod("m"));
  EXPECT_THAT(Flush(), SizeIs(1));
  EXPECT_THAT(Metrics(), HasSubstr("dra_events_dropped_total{reason=\"write_failed\"} 1\n"));
}

TEST_F(EventRecorderTest, ATransientFailureIsTriedFourTimesUnderOneName) {
  transport_.SetAnswer(Status(503, "ServiceUnavailable"));
  recorder_.Emit(AboutPod("m"));
  for (std::size_t attempt = 1; attempt < 4; ++attempt) {
    ASSERT_TRUE(transport_.AwaitRequests(attempt));
    ASSERT_TRUE(clock_.AwaitWaiters(1));
    clock_.Advance(seconds(4));
  }
  ASSERT_TRUE(transport_.AwaitRequests(4));
  const auto requests = Flush();
  ASSERT_THAT(requests, SizeIs(4));
  EXPECT_EQ(json::parse(requests[0].body)["metadata"]["name"],
            json::parse(requests[3].body)["metadata"]["name"]);
  EXPECT_THAT(Metrics(), HasSubstr("dra_events_total{result=\"dropped\"} 1\n"));
}

TEST_F(EventRecorderTest, ACreateWhoseAnswerWasLostIsNotCreatedTwice) {
  transport_.SetAnswer([](const kube::Request&, const std::stop_token&) -> Result<kube::Response> {
    Error error(Code::kTimeout, "no answer");
    error.maybe_applied = true;
    return error;
  });
  recorder_.Emit(AboutPod("m"));
  ASSERT_TRUE(transport_.AwaitRequests(1));
  ASSERT_TRUE(clock_.AwaitWaiters(1));
  transport_.SetAnswer(Status(409, "AlreadyExists"));
  clock_.Advance(seconds(4));
  ASSERT_TRUE(transport_.AwaitRequests(2));
  EXPECT_THAT(Flush(), SizeIs(2));
  EXPECT_THAT(Metrics(), HasSubstr("dra_events_total{result=\"created\"} 1\n"));
}

// A server that answers only when it is told to stop.
Result<kube::Response> Hang(const kube::Request&, const std::stop_token& stop) {
  Mutex mutex;
  CondVar cv;
  MutexLock lock(mutex);
  cv.wait(lock, stop, [] { return false; });
  return Error(Code::kCancelled, "stopped");
}

TEST_F(EventRecorderTest, AHangingServerNeverBlocksTheCallerAndMemoryStaysBounded) {
  transport_.SetAnswer(Hang);
  recorder_.Emit(AboutPod("first"));
  ASSERT_TRUE(transport_.AwaitRequests(1));
  for (int i = 0; i < 1'500; ++i) recorder_.Emit(AboutPod(std::to_string(i)));
  EXPECT_THAT(Metrics(), HasSubstr("dra_events_dropped_total{reason=\"queue_full\"} 500\n"));
  recorder_.Stop(seconds(0));
  EXPECT_THAT(Metrics(), HasSubstr("dra_events_dropped_total{reason=\"stopped\"} 1001\n"));
}

TEST_F(EventRecorderTest, StopWaitsForAHangingServerNoLongerThanItsPatience) {
  transport_.SetAnswer(Hang);
  recorder_.Emit(AboutPod("m"));
  ASSERT_TRUE(transport_.AwaitRequests(1));
  std::jthread stopper([this] { recorder_.Stop(seconds(2)); });
  ASSERT_TRUE(clock_.AwaitWaiters(1));
  clock_.Advance(seconds(2));
  stopper.join();
  EXPECT_THAT(Metrics(), HasSubstr("dra_events_dropped_total{reason=\"stopped\"} 1\n"));
}

TEST_F(EventRecorderTest, AfterStopEventsAreDroppedAndCounted) {
  recorder_.Stop(seconds(2));
  recorder_.Emit(AboutPod("late"));
  EXPECT_THAT(transport_.requests(), SizeIs(0));
  EXPECT_THAT(Metrics(), HasSubstr("dra_events_dropped_total{reason=\"stopped\"} 1\n"));
}

}  // namespace
}  // namespace dra::runtime
