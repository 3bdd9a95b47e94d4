// SPDX-License-Identifier: Apache-2.0
//
// What is on the wire, and what becomes of the answer.
#include <gtest/gtest.h>

#include "transport_fixture.h"

namespace dra::test {
namespace {

using Peer = TlsTestServer::Peer;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TransportRequest, TargetIsSentAsGiven) {
  TlsTestServer server(Https(), Always(200, "ok"));
  TestTransport transport(server);
  const std::string target =
      "/apis/a/v1/namespaces/n/things/a%2Fb?limit=5&labelSelector=a%3Db%2Cc%21%3Dd&continue=%2B%26";
  ASSERT_EQ(Failure(transport.Get(target)), "");
  EXPECT_EQ(server.requests()[0].target, target);
}

TEST(TransportRequest, PathPrefixOfTheServerComesFirst) {
  TlsTestServer server(Https(), Always(200, "ok"));
  kube::ClusterConfig config = ConfigFor(server);
  config.server += "/k8s/clusters/c-1/";
  TestTransport transport(config);
  ASSERT_EQ(Failure(transport.Get("/api?x=1")), "");
  EXPECT_EQ(server.requests()[0].target, "/k8s/clusters/c-1/api?x=1");
}

TEST(TransportRequest, CarriesTokenAgentAcceptAndHost) {
  TlsTestServer server(Https(), Always(200, "ok"));
  TestTransport transport(server, {.user_agent = "dra-claim-controller/1.2.3"});
  ASSERT_EQ(Failure(transport.Get()), "");
  const ReceivedRequest request = server.requests()[0];
  EXPECT_EQ(request.Header("Authorization"), "Bearer secret-token");
  EXPECT_EQ(request.Header("User-Agent"), "dra-claim-controller/1.2.3");
  EXPECT_EQ(request.Header("Accept"), "application/json");
  EXPECT_EQ(request.Header("Host"), "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(request.Header("Accept-Encoding"), "");
}

TEST(TransportRequest, BodyHasItsTypeAndAGetHasNone) {
  TlsTestServer server(Https(), Always(200, "ok"));
  TestTransport transport(server);
  kube::Request request = PostRequest(R"({"a":1})");
  request.method = kube::Method::kPatch;
  request.content_type = "application/merge-patch+json";
  ASSERT_EQ(Failure(transport->Send(request, {})), "");
  ASSERT_EQ(Failure(transport.Get()), "");
  EXPECT_EQ(server.requests()[0].method, "PATCH");
  EXPECT_EQ(server.requests()[0].Header("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(server.requests()[0].body, R"({"a":1})");
  EXPECT_EQ(server.requests()[1].Header("Content-Type"), "");
  EXPECT_EQ(server.requests()[1].Header("Transfer-Encoding"), "");
}

TEST(TransportRequest, LineBreakInATargetIsRefusedAndNotSent) {
  TlsTestServer server(Https(), Always(200, "ok"));
  TestTransport transport(server);
  EXPECT_FALSE(transport.Get("/x HTTP/1.1\r\nX-Evil: 1\r\n\r\n").ok());
  EXPECT_EQ(server.requests().size(), 0U);
  EXPECT_EQ(Failure(transport.Get()), "");
}

TEST(TransportRequest, ServerErrorIsAnAnswer) {
  TlsTestServer server(Https(), Always(500, "boom"));
  TestTransport transport(server);
  const auto answer = transport.Post();
  ASSERT_EQ(Failure(answer), "");
  EXPECT_EQ(answer->status, 500);
  EXPECT_EQ(answer->body, "boom");
}

TEST(TransportRequest, RetryAfterIsRead) {
  TlsTestServer server(Https(), Always(429, "later", "Retry-After: 7\r\n"));
  TestTransport transport(server);
  const auto answer = transport.Get();
  ASSERT_EQ(Failure(answer), "");
  EXPECT_EQ(answer->retry_after, milliseconds(7000));
}

TEST(TransportRequest, RetryAfterThatIsNoNumberIsIgnored) {
  for (const char* value : {"soon", "-1", "99999999999999999999", "1.5", ""}) {
    TlsTestServer server({}, Always(429, "later", std::string("Retry-After: ") + value + "\r\n"));
    TestTransport transport(server);
    const auto answer = transport.Get();
    ASSERT_EQ(Failure(answer), "");
    EXPECT_EQ(answer->retry_after, std::nullopt) << value;
  }
}

TEST(TransportRequest, RedirectIsAnErrorThatNamesItsTargetAndCarriesNoTokenThere) {
  TlsTestServer other(Https(), Always(200, "stolen"));
  TlsTestServer server(Https(), Always(302, "", "Location: " + other.url("localhost") + "/y\r\n"));
  TestTransport transport(server);
  const auto answer = transport.Get();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kMalformed);
  EXPECT_NE(answer.error().message().find(other.url("localhost")), std::string::npos);
  EXPECT_EQ(other.connections(), 0);
}

TEST(TransportRequest, RedirectOfAPostIsMaybeApplied) {
  TlsTestServer server(Https(), Always(307, "", "Location: /y\r\n"));
  TestTransport transport(server);
  const auto answer = transport.Post();
  ASSERT_FALSE(answer.ok());
  EXPECT_TRUE(answer.error().maybe_applied);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(TransportRequest, EncodedAnswerIsAnError) {
  TlsTestServer server(Https(), Always(200, "\x1f\x8b", "Content-Encoding: gzip\r\n"));
  TestTransport transport(server);
  EXPECT_EQ(transport.Get().error().code(), Code::kMalformed);
}

TEST(TransportRequest, ChunkedAnswerIsPutTogether) {
  TlsTestServer server(Https(), [](Peer& peer) {
    while (peer.ReadRequest()) {
      peer.StartChunked();
      for (const char* piece : {"a", "bc", "def", ""}) peer.WriteChunk(piece);
    }
  });
  TestTransport transport(server);
  for (int i = 0; i < 3; ++i) {
    const auto answer = transport.Get();
    ASSERT_EQ(Failure(answer), "");
    EXPECT_EQ(answer->body, "abcdef");
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(TransportRequest, ManyRequestsInARowUseOneConnection) {
  TlsTestServer server(Https(), Always(200, "ok"));
  TestTransport transport(server);
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(Failure(i % 2 == 0 ? transport.Post() : transport.Get()), "");
  EXPECT_EQ(server.handshakes(), 1);
}

TEST(TransportRequest, ConnectionThatTheServerWillCloseIsNotReused) {
  TlsTestServer server(Https(), [](Peer& peer) {
    if (peer.ReadRequest()) peer.Respond(200, "ok", "Connection: close\r\n");
  });
  TestTransport transport(server);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(Failure(transport.Post()), "");
  EXPECT_EQ(server.connections(), 10);
}

TEST(TransportRequest, Ipv6AddressInBracketsWorks) {
  TlsTestServer::Options options = Https();
  options.ipv6 = true;
  TlsTestServer server(options, Always(200, "ok"));
  TestTransport transport(server);
  ASSERT_EQ(Failure(transport.Get()), "");
  EXPECT_EQ(server.requests()[0].Header("Host"), "[::1]:" + std::to_string(server.port()));
}

TEST(TransportRequest, NameIsResolvedAndAllItsAddressesAreTried) {
  // "localhost" may be ::1 first, where nobody listens.
  TlsTestServer server(Https(), Always(200, "ok"));
  kube::ClusterConfig config = ConfigFor(server);
  config.server = server.url("localhost");
  TestTransport transport(config);
  if (!transport.Get().ok()) {
    ASSERT_EQ(Failure(transport.Get()), "");
  }
  EXPECT_EQ(server.requests()[0].Header("Host"), "localhost:" + std::to_string(server.port()));
}

TEST(TransportRequest, NameThatDoesNotResolveIsUnavailableAndNotMaybeApplied) {
  TlsTestServer server(Https(), Always(200, "ok"));
  kube::ClusterConfig config = ConfigFor(server);
  config.server = "https://no-such-host.invalid:6443";
  TestTransport transport(config);
  const auto answer = transport.Post();
  ASSERT_FALSE(answer.ok());
  EXPECT_FALSE(answer.error().maybe_applied);
  EXPECT_TRUE(answer.error().code() == Code::kUnavailable ||
              answer.error().code() == Code::kTimeout);
}

TEST(TransportRequest, ProxyVariablesAreNotLookedAt) {
  TlsTestServer proxy({}, Always(502, "proxied"));
  ::setenv("HTTPS_PROXY", proxy.url().c_str(), 1);
  ::setenv("https_proxy", proxy.url().c_str(), 1);
  TlsTestServer server(Https(), Always(200, "ok"));
  TestTransport transport(server);
  EXPECT_EQ(Failure(transport.Get()), "");
  EXPECT_EQ(proxy.connections(), 0);
  ::unsetenv("HTTPS_PROXY");
  ::unsetenv("https_proxy");
}

}  // namespace
}  // namespace dra::test
