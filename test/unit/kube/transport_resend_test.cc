// SPDX-License-Identifier: Apache-2.0
//
// The library sends a request again when a reused connection breaks. Here it must not: a POST that
// arrives twice can make two objects.
#include <gtest/gtest.h>

#include "transport_fixture.h"

namespace dra::test {
namespace {

using std::chrono::milliseconds;
using Peer = TlsTestServer::Peer;

// Answers the first request of the first connection, reads the second and closes without a word.
void CloseOnSecondRequest(Peer& peer) {
  int left = peer.number() == 0 ? 1 : 1000;
  while (peer.ReadRequest()) {
    if (left-- == 0) return;
    peer.Respond(200, "ok");
  }
}

TEST(TransportResend, PostOnAConnectionThatDiesAfterReadingItIsSentOnce) {
  TlsTestServer server(Https(), CloseOnSecondRequest);
  TestTransport transport(server);
  ASSERT_EQ(Failure(transport.Get()), "");
  const auto lost = transport.Post();
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code(), Code::kUnavailable);
  EXPECT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.connections(), 1);
}

TEST(TransportResend, PostOnAConnectionThatIsResetAfterReadingItIsSentOnce) {
  TlsTestServer server(Https(), [](Peer& peer) {
    if (!peer.ReadRequest()) return;
    peer.Respond(200, "ok");
    if (peer.ReadRequest()) peer.Reset();
  });
  TestTransport transport(server);
  ASSERT_EQ(Failure(transport.Get()), "");
  EXPECT_FALSE(transport.Post().ok());
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(TransportResend, GetIsNotSentAgainEither) {
  TlsTestServer server(Https(), CloseOnSecondRequest);
  TestTransport transport(server);
  ASSERT_EQ(Failure(transport.Get()), "");
  EXPECT_FALSE(transport.Get().ok());
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(TransportResend, LostPostIsMaybeAppliedAndTheNextSucceeds) {
  TlsTestServer server(Https(), CloseOnSecondRequest);
  TestTransport transport(server);
  ASSERT_EQ(Failure(transport.Get()), "");
  const auto lost = transport.Post();
  ASSERT_FALSE(lost.ok());
  EXPECT_TRUE(lost.error().maybe_applied);
  EXPECT_EQ(Failure(transport.Post()), "");
}

TEST(TransportResend, LostGetIsNotMaybeApplied) {
  TlsTestServer server(Https(), CloseOnSecondRequest);
  TestTransport transport(server);
  ASSERT_EQ(Failure(transport.Get()), "");
  const auto lost = transport.Get();
  ASSERT_FALSE(lost.ok());
  EXPECT_FALSE(lost.error().maybe_applied);
}

TEST(TransportResend, DeleteWithoutABodyThatIsLostIsMaybeApplied) {
  TlsTestServer server(Https(), CloseOnSecondRequest);
  TestTransport transport(server);
  ASSERT_EQ(Failure(transport.Get()), "");
  kube::Request request = GetRequest();
  request.method = kube::Method::kDelete;
  const auto lost = transport->Send(request, {});
  ASSERT_FALSE(lost.ok());
  EXPECT_TRUE(lost.error().maybe_applied);
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(TransportResend, PostOnAConnectionThatTheServerClosedWhileIdleSucceedsOnAnother) {
  TlsTestServer server(Https(), [](Peer& peer) {
    if (peer.ReadRequest()) peer.Respond(200, "ok");  // and close, without saying so in the head
  });
  TestTransport transport(server);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(Failure(transport.Post()), "") << i;
    ASSERT_TRUE(server.AwaitNoConnections());
  }
  EXPECT_EQ(server.requests().size(), 5U);
  EXPECT_EQ(server.connections(), 5);
}

TEST(TransportResend, PostToARefusedConnectionIsNotMaybeApplied) {
  kube::ClusterConfig config;
  {
    TlsTestServer server(Https(), Always(200, "ok"));
    config = ConfigFor(server);
  }
  TestTransport transport(config);
  const auto refused = transport.Post();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), Code::kUnavailable);
  EXPECT_FALSE(refused.error().maybe_applied);
}

TEST(TransportResend, PostWhoseHandshakeFailsIsNotMaybeApplied) {
  TlsTestServer server({}, [](Peer& peer) { peer.Write("not TLS at all\r\n\r\n"); });
  kube::ClusterConfig config = ConfigFor(server);
  config.server.replace(0, 4, "https");
  TestTransport transport(config);
  const auto failed = transport.Post();
  ASSERT_FALSE(failed.ok());
  EXPECT_FALSE(failed.error().maybe_applied);
}

TEST(TransportResend, PostWithoutAnAnswerInTimeIsMaybeApplied) {
  TlsTestServer server(Https(), [](Peer& peer) {
    peer.ReadRequest();
    peer.AwaitClose();
  });
  TestTransport transport(server);
  kube::Request request = PostRequest();
  request.deadline = milliseconds(200);
  const auto late = transport->Send(request, {});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code(), Code::kTimeout);
  EXPECT_TRUE(late.error().maybe_applied);
}

TEST(TransportResend, PostStoppedBeforeItStartsIsNeitherSentNorMaybeApplied) {
  TlsTestServer server(Https(), Always(200, "ok"));
  TestTransport transport(server);
  ASSERT_EQ(Failure(transport.Get()), "");
  std::stop_source stop;
  stop.request_stop();
  for (int i = 0; i < 200; ++i) {
    const auto before = server.requests().size();
    const auto stopped = transport->Send(PostRequest(), stop.get_token());
    ASSERT_FALSE(stopped.ok());
    ASSERT_EQ(Failure(transport.Get()), "");
    const auto sent = server.requests().size() - before - 1;
    // The race is real: what was not sent must not be claimed, and what was must be.
    ASSERT_TRUE(sent == 0 || stopped.error().maybe_applied) << i;
  }
}

TEST(TransportResend, BodyLargerThanSocketBuffersArrivesWhole) {
  TlsTestServer server(Https(), Always(201, "created"));
  TestTransport transport(server);
  const std::string body(3U << 20U, 'b');
  ASSERT_EQ(Failure(transport.Post(body)), "");
  ASSERT_EQ(server.requests().size(), 1U);
  EXPECT_EQ(server.requests()[0].body, body);
}

}  // namespace
}  // namespace dra::test
