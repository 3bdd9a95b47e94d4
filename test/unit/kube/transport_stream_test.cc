// SPDX-License-Identifier: Apache-2.0
//
// Watches: bytes as they come, back-pressure, and the ends that a stream can have.
#include <fstream>

#include <gtest/gtest.h>

#include "transport_fixture.h"

namespace dra::test {
namespace {

using Peer = TlsTestServer::Peer;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMiB = 1U << 20U;

// Reads to the end; the error that ended it, or "".
std::string Drain(kube::ByteStream& stream, std::string& out) {
  std::string buffer(65536, '\0');
  for (;;) {
    const auto got = stream.Read(buffer.data(), buffer.size(), {});
    if (!got.ok()) return got.error().Describe();
    if (*got == 0) return "";
    out.append(buffer, 0, *got);
  }
}

TEST(TransportStream, BytesAreThereBeforeTheNextOnesCome) {
  TlsTestServer server(Https(), [](Peer& peer) {
    if (!peer.ReadRequest() || !peer.StartChunked()) return;
    peer.WriteChunk("first\n");
    peer.AwaitClose();
  });
  TestTransport transport(server);
  auto opened = transport->Open(GetRequest(), {});
  ASSERT_EQ(Failure(opened), "");
  char buffer[64];
  const auto got = opened->stream->Read(buffer, sizeof(buffer), {});
  ASSERT_EQ(Failure(got), "");
  EXPECT_EQ(std::string(buffer, *got), "first\n");
}

TEST(TransportStream, RegularEndIsZeroBytes) {
  TlsTestServer server(Https(), [](Peer& peer) {
    if (!peer.ReadRequest() || !peer.StartChunked()) return;
    peer.WriteChunk("abc");
    peer.WriteChunk("");
    peer.AwaitClose();
  });
  TestTransport transport(server);
  auto opened = transport->Open(GetRequest(), {});
  ASSERT_EQ(Failure(opened), "");
  std::string body;
  EXPECT_EQ(Drain(*opened->stream, body), "");
  EXPECT_EQ(body, "abc");
}

TEST(TransportStream, BrokenConnectionIsUnavailableAfterTheBytesBeforeIt) {
  TlsTestServer server(Https(), [](Peer& peer) {
    if (!peer.ReadRequest() || !peer.StartChunked()) return;
    peer.WriteChunk("abc");
  });
  TestTransport transport(server);
  auto opened = transport->Open(GetRequest(), {});
  ASSERT_EQ(Failure(opened), "");
  std::string body;
  const std::string end = Drain(*opened->stream, body);
  EXPECT_EQ(body, "abc");
  EXPECT_EQ(end.substr(0, 12), "Unavailable:") << end;
}

TEST(TransportStream, OtherStatusThan200GivesTheTextAndNoStream) {
  TlsTestServer server(Https(), Always(410, R"({"kind":"Status"})", "Retry-After: 2\r\n"));
  TestTransport transport(server);
  const auto opened = transport->Open(GetRequest(), {});
  ASSERT_EQ(Failure(opened), "");
  EXPECT_EQ(opened->status, 410);
  EXPECT_EQ(opened->body, R"({"kind":"Status"})");
  EXPECT_EQ(opened->retry_after, milliseconds(2000));
  EXPECT_EQ(opened->stream, nullptr);
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST(TransportStream, OtherStatusWhoseTextNeverEndsMeetsTheDeadline) {
  TlsTestServer server(Https(), [](Peer& peer) {
    if (!peer.ReadRequest() || !peer.StartChunked(500)) return;
    peer.WriteChunk("so far");
    peer.AwaitClose();
  });
  TestTransport transport(server);
  kube::Request request = GetRequest();
  request.deadline = milliseconds(150);
  const auto opened = transport->Open(request, {});
  ASSERT_EQ(Failure(opened), "");
  EXPECT_EQ(opened->body, "so far");
}

TEST(TransportStream, SlowConsumerSlowsTheServerDownAndLosesNothing) {
  constexpr std::size_t kTotal = 64 * kMiB;
  std::atomic<std::size_t> sent{0};
  TlsTestServer server(Https(), [&](Peer& peer) {
    if (!peer.ReadRequest() || !peer.StartChunked()) return;
    const std::string piece(kMiB / 4, 'w');
    while (sent < kTotal && peer.WriteChunk(piece)) sent += piece.size();
    peer.WriteChunk("");
    peer.AwaitClose();
  });
  TestTransport transport(server, {.stream_window = kMiB});
  auto opened = transport->Open(GetRequest(), {});
  ASSERT_EQ(Failure(opened), "");
  // Nobody reads: the server must get stuck. It is stuck when it does not move for a while.
  std::size_t before = 1;
  for (int quiet = 0; quiet < 10;) {
    quiet = sent == before ? quiet + 1 : 0;
    before = sent;
    std::this_thread::sleep_for(milliseconds(10));
  }
  // The window, and what the sockets of both sides hold (up to 6 MiB each on Linux).
  EXPECT_LT(sent, 20 * kMiB);
  std::string body;
  EXPECT_EQ(Drain(*opened->stream, body), "");
  EXPECT_EQ(body.size(), kTotal);
}

TEST(TransportStream, StreamsDoNotUseOrFillThePoolOfRequests) {
  TlsTestServer server(Https(), [](Peer& peer) {
    while (const auto request = peer.ReadRequest()) {
      if (request->target == "/x") {
        peer.Respond(200, "ok");
        continue;
      }
      peer.StartChunked();
      peer.WriteChunk("");
    }
  });
  TestTransport transport(server);
  ASSERT_EQ(Failure(transport.Get()), "");
  for (int i = 0; i < 3; ++i) {
    auto opened = transport->Open(GetRequest("/watch"), {});
    ASSERT_EQ(Failure(opened), "");
    std::string body;
    EXPECT_EQ(Drain(*opened->stream, body), "");
  }
  ASSERT_EQ(Failure(transport.Get()), "");
  EXPECT_EQ(server.connections(), 4);
}

}  // namespace
}  // namespace dra::test
