// SPDX-License-Identifier: Apache-2.0
//
// Deadlines, silence, stop requests, and the races between them.
#include <latch>

#include <gtest/gtest.h>

#include "transport_fixture.h"

namespace dra::test {
namespace {

using Peer = TlsTestServer::Peer;
using std::chrono::milliseconds;
using std::chrono::seconds;

void NeverAnswer(Peer& peer) {
  peer.ReadRequest();
  peer.AwaitClose();
}

// Streams: the head, then silence.
void HeadOnly(Peer& peer) {
  peer.ReadRequest();
  peer.StartChunked();
  peer.AwaitClose();
}

kube::Request With(milliseconds deadline, milliseconds idle_limit = seconds(60)) {
  kube::Request request = GetRequest();
  request.deadline = deadline;
  request.idle_limit = idle_limit;
  return request;
}

// Runs `action` with a token that is stopped as soon as the server has read a request.
template <class Action>
auto StopDuring(TlsTestServer& server, Action action, milliseconds& took) {
  std::stop_source stop;
  Stopwatch watch;
  std::jthread stopper([&] {
    while (server.requests().empty()) std::this_thread::yield();
    watch = Stopwatch();
    stop.request_stop();
  });
  auto result = action(stop.get_token());
  stopper.join();
  took = watch.Elapsed();
  return result;
}

TEST(TransportTime, PeerThatAcceptsAndNeverAnswersMeetsTheDeadline) {
  TlsTestServer server(Https(), NeverAnswer);
  TestTransport transport(server);
  const Stopwatch watch;
  const auto answer = transport->Send(With(milliseconds(150)), {});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kTimeout);
  EXPECT_GE(watch.Elapsed(), milliseconds(150));
  EXPECT_LT(watch.Elapsed(), seconds(2));
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST(TransportTime, PeerThatNeverFinishesTheHandshakeMeetsTheDeadline) {
  TlsTestServer server({}, [](Peer& peer) { peer.AwaitClose(); });
  kube::ClusterConfig config = ConfigFor(server);
  config.server.replace(0, 4, "https");
  TestTransport transport(config);
  const auto answer = transport->Send(With(milliseconds(150)), {});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kTimeout);
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST(TransportTime, AnswerThatDripsMeetsTheDeadlineToo) {
  // The library's own time-out starts anew with every byte.
  TlsTestServer server(Https(), [](Peer& peer) {
    if (!peer.ReadRequest() || !peer.StartChunked()) return;
    while (peer.WriteChunk("x")) std::this_thread::sleep_for(milliseconds(5));
  });
  TestTransport transport(server);
  const auto answer = transport->Send(With(milliseconds(150)), {});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kTimeout);
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST(TransportTime, StreamOutlivesTheDeadlineOfItsHead) {
  std::latch late(1);
  TlsTestServer server(Https(), [&](Peer& peer) {
    if (!peer.ReadRequest() || !peer.StartChunked()) return;
    late.wait();
    peer.WriteChunk("late");
    peer.WriteChunk("");
  });
  TestTransport transport(server);
  const Stopwatch watch;
  auto opened = transport->Open(With(milliseconds(100)), {});
  ASSERT_EQ(Failure(opened), "");
  std::jthread release([&] {
    while (watch.Elapsed() < milliseconds(250)) std::this_thread::sleep_for(milliseconds(5));
    late.count_down();
  });
  char buffer[16];
  const auto got = opened->stream->Read(buffer, sizeof(buffer), {});
  ASSERT_EQ(Failure(got), "");
  EXPECT_EQ(std::string(buffer, *got), "late");
}

TEST(TransportTime, SilentStreamEndsAtTheIdleLimit) {
  TlsTestServer server(Https(), HeadOnly);
  TestTransport transport(server);
  auto opened = transport->Open(With(seconds(10), milliseconds(120)), {});
  ASSERT_EQ(Failure(opened), "");
  const Stopwatch watch;
  char buffer[16];
  const auto got = opened->stream->Read(buffer, sizeof(buffer), {});
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code(), Code::kTimeout);
  EXPECT_GE(watch.Elapsed(), milliseconds(120));
}

TEST(TransportTime, StreamThatIsNeverOpenedMeetsTheDeadline) {
  TlsTestServer server(Https(), NeverAnswer);
  TestTransport transport(server);
  EXPECT_EQ(transport->Open(With(milliseconds(100)), {}).error().code(), Code::kTimeout);
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST(TransportTime, StopDuringSendReturnsPromptly) {
  TlsTestServer server(Https(), NeverAnswer);
  TestTransport transport(server);
  milliseconds took{};
  const auto answer = StopDuring(
      server, [&](const std::stop_token& stop) { return transport->Send(With(seconds(60)), stop); },
      took);
  EXPECT_EQ(answer.error().code(), Code::kCancelled);
  EXPECT_LT(took, milliseconds(100));
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST(TransportTime, StopDuringOpenReturnsPromptly) {
  TlsTestServer server(Https(), NeverAnswer);
  TestTransport transport(server);
  milliseconds took{};
  const auto answer = StopDuring(
      server, [&](const std::stop_token& stop) { return transport->Open(With(seconds(60)), stop); },
      took);
  EXPECT_EQ(answer.error().code(), Code::kCancelled);
  EXPECT_LT(took, milliseconds(100));
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST(TransportTime, StopDuringReadReturnsPromptly) {
  TlsTestServer server(Https(), HeadOnly);
  TestTransport transport(server);
  auto opened = transport->Open(With(seconds(60)), {});
  ASSERT_EQ(Failure(opened), "");
  char buffer[16];
  milliseconds took{};
  const auto got = StopDuring(
      server,
      [&](const std::stop_token& stop) {
        return opened->stream->Read(buffer, sizeof(buffer), stop);
      },
      took);
  EXPECT_EQ(got.error().code(), Code::kCancelled);
  EXPECT_LT(took, milliseconds(100));
  opened->stream.reset();
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST(TransportTime, StreamThatIsDroppedUnreadClosesItsConnection) {
  TlsTestServer server(Https(), [](Peer& peer) {
    if (!peer.ReadRequest() || !peer.StartChunked()) return;
    while (peer.WriteChunk(std::string(65536, 'x'))) {
    }
  });
  TestTransport transport(server);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(Failure(transport->Open(With(seconds(10)), {})), "");
  EXPECT_TRUE(server.AwaitNoConnections());
}

// Cancellation against completion, at every moment of a short exchange.
TEST(TransportTime, CancellationRacesLeaveTheTransportSound) {
  TlsTestServer server(Https(), Always(200, std::string(20000, 'b')));
  TestTransport transport(server);
  std::vector<std::jthread> threads;
  std::atomic<int> answered{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        std::stop_source stop;
        const auto delay = std::chrono::microseconds((i * 37 + t * 11) % 200 * 10);
        std::jthread stopper([&] {
          const auto when = std::chrono::steady_clock::now() + delay;
          while (std::chrono::steady_clock::now() < when) std::this_thread::yield();
          stop.request_stop();
        });
        const auto answer =
            transport->Send(i % 2 == 0 ? PostRequest() : GetRequest(), stop.get_token());
        if (answer.ok())
          ++answered;
        else
          EXPECT_EQ(answer.error().code(), Code::kCancelled) << answer.error().Describe();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(Failure(transport.Get()), "");
}

TEST(TransportTime, CancellationOfBusyStreamsLeavesTheTransportSound) {
  TlsTestServer server(Https(), [](Peer& peer) {
    if (!peer.ReadRequest() || !peer.StartChunked()) return;
    while (peer.WriteChunk(std::string(3000, 'x'))) {
    }
  });
  TestTransport transport(server);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      char buffer[4096];
      for (int i = 0; i < 20; ++i) {
        auto opened = transport->Open(With(seconds(10)), {});
        ASSERT_EQ(Failure(opened), "");
        for (int n = 0; n < i; ++n) {
          ASSERT_EQ(Failure(opened->stream->Read(buffer, sizeof(buffer), {})), "");
        }
      }
    });
  }
  threads.clear();
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST(TransportTime, TransportCanBeDestroyedRightAfterAbandonedRequests) {
  TlsTestServer server(Https(), NeverAnswer);
  for (int i = 0; i < 10; ++i) {
    TestTransport transport(server);
    EXPECT_FALSE(transport->Send(With(milliseconds(i)), {}).ok());
  }
  EXPECT_TRUE(server.AwaitNoConnections());
}

}  // namespace
}  // namespace dra::test
