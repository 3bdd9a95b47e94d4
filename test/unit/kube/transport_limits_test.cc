// SPDX-License-Identifier: Apache-2.0
//
// Answers without end, and answers that are no HTTP. The library bounds nothing.
#include <gtest/gtest.h>

#include "transport_fixture.h"

namespace dra::test {
namespace {

using Peer = TlsTestServer::Peer;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMiB = 1U << 20U;

// Sends `prefix`, then `filler` until the client has had enough; how much that was.
TlsTestServer::Script Endless(std::string prefix, std::string filler,
                              std::atomic<std::size_t>& sent) {
  return [=, &sent](Peer& peer) {
    if (!peer.ReadRequest() || !peer.Write(prefix)) return;
    while (sent < 2048 * kMiB && peer.Write(filler)) sent += filler.size();
  };
}

TEST(TransportLimits, HeaderBlockWithoutEndIsCutOff) {
  std::atomic<std::size_t> sent{0};
  TlsTestServer server(Https(), Endless("HTTP/1.1 200 OK\r\n",
                                        "X-Filler: " + std::string(16000, 'x') + "\r\n", sent));
  TestTransport transport(server);
  const auto answer = transport.Get();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kMalformed) << answer.error().Describe();
  ASSERT_TRUE(server.AwaitNoConnections());
  EXPECT_LT(sent, 16 * kMiB);  // 1 MiB and what the sockets hold
}

TEST(TransportLimits, StatusLineWithoutEndIsCutOff) {
  std::atomic<std::size_t> sent{0};
  TlsTestServer server(Https(), Endless("HTTP/1.1 200 ", std::string(16000, 'x'), sent));
  TestTransport transport(server);
  EXPECT_EQ(transport.Get().error().code(), Code::kMalformed);
  ASSERT_TRUE(server.AwaitNoConnections());
  EXPECT_LT(sent, 16 * kMiB);
}

TEST(TransportLimits, LargeHeaderBelowTheLimitIsAccepted) {
  std::string headers;
  for (int i = 0; i < 50; ++i)
    headers += "X-" + std::to_string(i) + ": " + std::string(8000, 'x') + "\r\n";
  TlsTestServer server(Https(), Always(200, "ok", headers));
  TestTransport transport(server);
  EXPECT_EQ(Failure(transport.Get()), "");
}

TEST(TransportLimits, HeaderBlockOverPlainHttpIsBoundedByTheDeadlineOnly) {
  std::atomic<bool> done{false};
  TlsTestServer server({}, [&](Peer& peer) {
    if (!peer.ReadRequest() || !peer.Write("HTTP/1.1 200 OK\r\n")) return;
    // Slow, so that the deadline comes before the memory.
    while (!done && peer.Write("X: y\r\n")) std::this_thread::yield();
  });
  TestTransport transport(server);
  kube::Request request = GetRequest();
  request.deadline = milliseconds(100);
  EXPECT_EQ(transport->Send(request, {}).error().code(), Code::kTimeout);
  done = true;
}

TEST(TransportLimits, BodyBeyondTheLimitIsCutOff) {
  std::atomic<std::size_t> sent{0};
  TlsTestServer server(Https(), Endless("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n",
                                        std::string(65536, 'b'), sent));
  TestTransport transport(server, {.max_body = 8 * kMiB, .stream_window = kMiB});
  const auto answer = transport.Get();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kMalformed);
  ASSERT_TRUE(server.AwaitNoConnections());
  EXPECT_LT(sent, 32 * kMiB);
}

TEST(TransportLimits, BodyWithoutALengthIsBoundedToo) {
  std::atomic<std::size_t> sent{0};
  TlsTestServer server(Https(), Endless("HTTP/1.1 200 OK\r\n\r\n", std::string(65536, 'b'), sent));
  TestTransport transport(server, {.max_body = 8 * kMiB, .stream_window = kMiB});
  EXPECT_EQ(transport.Get().error().code(), Code::kMalformed);
  ASSERT_TRUE(server.AwaitNoConnections());
  EXPECT_LT(sent, 32 * kMiB);
}

TEST(TransportLimits, BodyAtTheLimitIsAccepted) {
  TlsTestServer server(Https(), Always(200, std::string(8 * kMiB, 'b')));
  TestTransport transport(server, {.max_body = 8 * kMiB, .stream_window = kMiB});
  const auto answer = transport.Get();
  ASSERT_EQ(Failure(answer), "");
  EXPECT_EQ(answer->body.size(), 8 * kMiB);
}

TEST(TransportLimits, ChunkThatClaimsGigabytesIsCutOffAtTheBodyLimit) {
  for (const char* length : {"7fffffff", "-5"}) {  // -5: the library accepts it and reads for ever
    std::atomic<std::size_t> sent{0};
    TlsTestServer server(Https(), Endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
                                              std::string(length) + "\r\n",
                                          std::string(65536, 'c'), sent));
    TestTransport transport(server, {.max_body = 8 * kMiB});
    const auto answer = transport.Get();
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code(), Code::kMalformed) << answer.error().Describe();
    ASSERT_TRUE(server.AwaitNoConnections());
    EXPECT_LT(sent, 32 * kMiB) << length;
  }
}

TEST(TransportLimits, ErrorBodyIsCutAt64KiB) {
  TlsTestServer server(Https(), Always(500, std::string(kMiB, 'e')));
  TestTransport transport(server);
  const auto sent = transport.Get();
  ASSERT_EQ(Failure(sent), "");
  EXPECT_EQ(sent->body.size(), 65536U);
  const auto opened = transport->Open(GetRequest(), {});
  ASSERT_EQ(Failure(opened), "");
  EXPECT_EQ(opened->status, 500);
  EXPECT_EQ(opened->stream, nullptr);
  EXPECT_EQ(opened->body.size(), 65536U);
}

class Garbage : public ::testing::TestWithParam<std::string> {};

TEST_P(Garbage, FromTheServerIsAnErrorAndNotTheEndOfTheProcess) {
  TlsTestServer server(Https(), [](Peer& peer) {
    if (peer.ReadRequest()) peer.Write(GetParam());
  });
  TestTransport transport(server);
  const auto answer = transport.Post();
  if (!answer.ok()) {
    EXPECT_TRUE(answer.error().maybe_applied);
    EXPECT_TRUE(answer.error().code() == Code::kMalformed ||
                answer.error().code() == Code::kUnavailable)
        << answer.error().Describe();
  }
  const auto opened = transport->Open(GetRequest(), {});
  if (opened.ok() && opened->stream) {
    char buffer[1024];
    for (;;) {
      const auto got = opened->stream->Read(buffer, sizeof(buffer), {});
      if (!got.ok() || *got == 0) break;
    }
  }
  TlsTestServer good(Https(), Always(200, "ok"));
  TestTransport another(good);
  EXPECT_EQ(Failure(another.Get()), "");
}

INSTANTIATE_TEST_SUITE_P(
    TransportLimits, Garbage,
    ::testing::Values(
        "", "\r\n\r\n", "\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 \r\n\r\n", "HTTP/9.9 200 OK\r\n\r\nx",
        "HTTP/1.1 99999999999 OK\r\n\r\n", "HTTP/1.1 -1 OK\r\n\r\n", "HTTP/1.1 0 OK\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 999 What\r\n\r\nx",
        "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 200 OK\r\n:\r\n\r\n",
        "HTTP/1.1 200 OK\r\na:\n\r\n\r\n", "HTTP/1.1 200 OK\r\n: x\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        std::string("HTTP/1.1 200 OK\r\nX: ") + '\0' + "\xff\r\n\r\nx"));

}  // namespace
}  // namespace dra::test
