// SPDX-License-Identifier: Apache-2.0
//
// Informer and reflector against a scripted server: the list-watch protocol, and what handlers
// hear.
#include "cache/informer.h"

#include <deque>

#include <gtest/gtest.h>

#include "api/pod.h"
#include "kube/flow_control.h"
#include "metrics/client_probe.h"
#include "metrics/registry.h"
#include "support/fake_clock.h"

namespace dra::cache {
namespace {

// Serves one answer after the other. A stream gives its text and then ends, or, if it is the last
// one, stays open until the reader is stopped.
class ScriptedServer final : public kube::Transport {
 public:
  struct Answer {
    int status = 200;
    std::string body;
  };

  void Then(Answer answer) { script_.push_back(std::move(answer)); }

  std::vector<std::string> Targets() const {
    MutexLock lock(mutex_);
    return targets_;
  }

  Result<kube::Response> Send(const kube::Request& request, const std::stop_token& stop) override {
    DRA_TRY(Answer answer, Take(request, stop));
    return kube::Response{answer.status, std::move(answer.body), {}};
  }

  Result<kube::StreamResponse> Open(const kube::Request& request,
                                    const std::stop_token& stop) override {
    DRA_TRY(Answer answer, Take(request, stop));
    kube::StreamResponse response{answer.status, nullptr, "", {}};
    if (answer.status != 200) {
      response.body = std::move(answer.body);
    } else {
      response.stream = std::make_unique<Stream>(std::move(answer.body), Exhausted());
    }
    return response;
  }

 private:
  class Stream final : public kube::ByteStream {
   public:
    Stream(std::string text, bool stays_open) : text_(std::move(text)), stays_open_(stays_open) {}
    Result<std::size_t> Read(char* buffer, std::size_t size, const std::stop_token& stop) override {
      const std::size_t count = text_.copy(buffer, size);
      text_.erase(0, count);
      if (count > 0 || !stays_open_) return count;
      SystemClock().SleepFor(std::chrono::hours(1), stop);
      return Error(Code::kCancelled, "stopped");
    }

   private:
    std::string text_;
    const bool stays_open_;
  };

  Result<Answer> Take(const kube::Request& request, const std::stop_token&) {
    MutexLock lock(mutex_);
    targets_.push_back(request.target);
    if (script_.empty()) return Error(Code::kUnavailable, "the script is at its end");
    Answer answer = std::move(script_.front());
    script_.pop_front();
    return answer;
  }
  bool Exhausted() const {
    MutexLock lock(mutex_);
    return script_.empty();
  }

  mutable Mutex mutex_;
  std::deque<Answer> script_;  // filled before the reader starts
  std::vector<std::string> targets_ GUARDED_BY(mutex_);
};

std::string Pod(const std::string& name, const std::string& uid, int version, bool kept = true) {
  return R"({"kind":"Pod","metadata":{"namespace":"ns","name":")" + name + R"(","uid":")" + uid +
         R"(","resourceVersion":")" + std::to_string(version) + R"("},"spec":{)" +
         (kept ? R"("resourceClaims":[{"name":"e","resourceClaimName":"c"}])" : "") + "}}";
}
std::string Event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
std::string InitialEnd(int version) {
  return Event("BOOKMARK", R"({"kind":"Pod","metadata":{"resourceVersion":")" +
                               std::to_string(version) +
                               R"(","annotations":{"k8s.io/initial-events-end":"true"}}})");
}
std::string Gone() {
  return Event("ERROR", R"({"kind":"Status","status":"Failure","reason":"Expired","code":410})");
}
std::string List(const std::vector<std::string>& pods, int version, const std::string& next) {
  std::string items;
  for (const std::string& pod : pods) items += (items.empty() ? "" : ",") + pod;
  return R"({"kind":"PodList","metadata":{"resourceVersion":")" + std::to_string(version) +
         R"(","continue":")" + next + R"("},"items":[)" + items + "]}";
}

struct InformerTest : testing::Test {
  ScriptedServer server;
  test::FakeClock clock;
  metrics::Registry registry;
  metrics::WatchProbe watch_probe{registry, "pods"};
  metrics::ClientProbe client_probe{registry, "server"};
  kube::FlowControl flow{{}, clock};
  kube::Client client{server, flow, client_probe, clock};

  Mutex mutex;
  std::vector<std::string> heard;  // "+name", "~name", "-name", and "!uid" for an end
  Informer<api::Pod> informer{
      client,
      clock,
      watch_probe,
      {kube::kPods, "", [](const api::Pod& pod) { return pod.UsesClaims(); },
       [this](const api::Pod& pod) { Hear("!" + pod.meta.uid); }, nullptr}};

  void Hear(std::string what) {
    MutexLock lock(mutex);
    heard.push_back(std::move(what));
  }
  std::vector<std::string> Heard() {
    MutexLock lock(mutex);
    return heard;
  }

  // Runs the informer until `done`, moving time whenever it waits for that.
  void RunUntil(const std::function<bool()>& done) {
    informer.AddHandler([this](const auto& old, const auto& now) {
      const std::string sign = old == nullptr ? "+" : (now == nullptr ? "-" : "~");
      Hear(sign + (now != nullptr ? now : old)->meta.name);
    });
    informer.Start();
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done() && std::chrono::steady_clock::now() < limit) {
      clock.Advance(std::chrono::milliseconds(500));
      SystemClock().SleepFor(std::chrono::milliseconds(2), {});
    }
    EXPECT_TRUE(done());
    informer.Stop();
  }
  void RunUntilVersion(const std::string& version) {
    RunUntil([&] { return informer.store().LastSeen().text() == version; });
  }

  static std::size_t Containing(const std::vector<std::string>& texts, const std::string& part) {
    return static_cast<std::size_t>(
        std::count_if(texts.begin(), texts.end(),
                      [&](const auto& text) { return text.find(part) != std::string::npos; }));
  }
};

using Strings = std::vector<std::string>;

TEST_F(InformerTest, StreamingListThenChanges) {
  server.Then({200, Event("ADDED", Pod("a", "1", 5)) + InitialEnd(10) +
                        Event("MODIFIED", Pod("a", "1", 11)) +
                        Event("DELETED", Pod("a", "1", 12))});
  RunUntilVersion("12");
  EXPECT_EQ(Heard(), (Strings{"+a", "~a", "!1", "-a"}));
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(Containing(server.Targets(), "sendInitialEvents=true"), 1U);
}

TEST_F(InformerTest, ObjectDeletedWhileTheStreamingListComesInIsNotThere) {
  server.Then({200, Event("ADDED", Pod("a", "1", 5)) + Event("ADDED", Pod("b", "2", 6)) +
                        Event("DELETED", Pod("a", "1", 9)) + InitialEnd(10)});
  RunUntilVersion("10");
  EXPECT_EQ(Heard(), Strings{"+b"});
  EXPECT_EQ(informer.store().Find({"ns", "a"}), nullptr);
}

TEST_F(InformerTest, ObjectThatIsNoLongerKeptIsRemovedButHasNotEnded) {
  server.Then({200, Event("ADDED", Pod("a", "1", 5)) + InitialEnd(10) +
                        Event("MODIFIED", Pod("a", "1", 11, false))});
  RunUntilVersion("11");
  EXPECT_EQ(Heard(), (Strings{"+a", "-a"}));
}

TEST_F(InformerTest, RelistTellsEndedObjectsFromThoseNoLongerKept) {
  server.Then({200, Event("ADDED", Pod("a", "1", 5)) + Event("ADDED", Pod("b", "2", 6)) +
                        InitialEnd(10) + Gone()});
  server.Then({200, Event("ADDED", Pod("a", "1", 15, false)) + InitialEnd(20)});
  RunUntilVersion("20");
  Strings rest = Heard();
  rest.erase(rest.begin(), rest.begin() + 2);
  std::sort(rest.begin(), rest.end());
  EXPECT_EQ(rest, (Strings{"!2", "-a", "-b"}));
}

TEST_F(InformerTest, NameThatPassesToAnotherUidIsAnEndAndABeginning) {
  server.Then({200, Event("ADDED", Pod("a", "1", 5)) + InitialEnd(10) +
                        Event("MODIFIED", Pod("a", "2", 11))});
  RunUntilVersion("11");
  EXPECT_EQ(Heard(), (Strings{"+a", "!1", "-a", "+a"}));
}

TEST_F(InformerTest, RefusedStreamFallsBackToPagesThatAreAllRead) {
  server.Then({422, R"({"kind":"Status","status":"Failure","reason":"Invalid","code":422})"});
  server.Then({200, List({Pod("a", "1", 5)}, 10, "next")});
  server.Then({200, List({Pod("b", "2", 6)}, 10, "")});
  server.Then({200, Event("ADDED", Pod("c", "3", 11))});
  RunUntilVersion("11");
  EXPECT_EQ(informer.store().Size(), 3U);
  const Strings targets = server.Targets();
  EXPECT_EQ(Containing(targets, "continue=next"), 1U);
  EXPECT_EQ(Containing(targets, "resourceVersion=10"), 1U);
}

TEST_F(InformerTest, RegularEndGoesOnFromTheLastVersionWithoutAList) {
  server.Then({200, InitialEnd(10) + Event("ADDED", Pod("a", "1", 11))});
  server.Then({200, Event("ADDED", Pod("b", "2", 12))});
  RunUntilVersion("12");
  const Strings targets = server.Targets();
  EXPECT_EQ(Containing(targets, "sendInitialEvents"), 1U);
  EXPECT_EQ(Containing(targets, "resourceVersion=11"), 1U);
}

TEST_F(InformerTest, ExpiredVersionAsAStatusLeadsToAList) {
  server.Then({200, InitialEnd(10)});
  server.Then({410, R"({"kind":"Status","status":"Failure","reason":"Expired","code":410})"});
  server.Then({200, InitialEnd(20)});
  RunUntilVersion("20");
  EXPECT_EQ(Containing(server.Targets(), "sendInitialEvents"), 2U);
}

TEST_F(InformerTest, MalformedFrameLeadsToAListAndNotToAnEnd) {
  server.Then({200, Event("ADDED", Pod("a", "1", 5)) + InitialEnd(10) + "{\"type\":\"ADDED\"\n"});
  server.Then({200, Event("ADDED", Pod("a", "1", 5)) + InitialEnd(20)});
  RunUntilVersion("20");
  EXPECT_EQ(Heard(), Strings{"+a"});
}

TEST_F(InformerTest, ServerThatEndsEveryWatchAtOnceMakesNoHotLoop) {
  for (int i = 0; i < 200; ++i) server.Then({200, InitialEnd(10)});
  const auto start = clock.Now();
  RunUntil([&] { return clock.Now() - start >= std::chrono::minutes(5); });
  // 0.8 s doubling to 30 s: five minutes have room for less than twenty.
  EXPECT_LE(server.Targets().size(), 20U);
  EXPECT_GE(server.Targets().size(), 5U);
}

}  // namespace
}  // namespace dra::cache
