// SPDX-License-Identifier: Apache-2.0
//
// What the transport costs the process, and what it asks of the operating system.
#include <latch>

#include <dirent.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "transport_fixture.h"

namespace dra::test {
namespace {

using Peer = TlsTestServer::Peer;
using std::chrono::seconds;

std::vector<std::string> Entries(const char* directory) {
  std::vector<std::string> names;
  DIR* dir = ::opendir(directory);
  while (const dirent* entry = ::readdir(dir)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  ::closedir(dir);
  return names;
}

// The client's ends: sockets of this process whose peer has the server's port.
std::vector<int> SocketsTo(int port) {
  std::vector<int> sockets;
  for (const std::string& name : Entries("/proc/self/fd")) {
    sockaddr_in peer{};
    socklen_t size = sizeof(peer);
    const int fd = std::stoi(name);
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
        peer.sin_family == AF_INET && ntohs(peer.sin_port) == port) {
      sockets.push_back(fd);
    }
  }
  return sockets;
}

int Option(int socket, int level, int name) {
  int value = -1;
  socklen_t size = sizeof(value);
  ::getsockopt(socket, level, name, &value, &size);
  return value;
}

TEST(TransportProcess, KernelWatchesConnectionsForHalfOpenPeers) {
  TlsTestServer server(Https(), [](Peer& peer) {
    while (peer.ReadRequest()) {
      peer.StartChunked();
      peer.WriteChunk("x");
      peer.AwaitClose();
    }
  });
  TestTransport transport(server);
  const auto opened = transport->Open(GetRequest(), {});
  ASSERT_EQ(Failure(opened), "");
  const auto sockets = SocketsTo(server.port());
  ASSERT_EQ(sockets.size(), 1U);
  EXPECT_EQ(Option(sockets[0], SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(Option(sockets[0], IPPROTO_TCP, TCP_KEEPIDLE), 30);
  EXPECT_EQ(Option(sockets[0], IPPROTO_TCP, TCP_KEEPINTVL), 10);
  EXPECT_EQ(Option(sockets[0], IPPROTO_TCP, TCP_KEEPCNT), 3);
  EXPECT_EQ(Option(sockets[0], IPPROTO_TCP, TCP_USER_TIMEOUT), 30000);
}

TEST(TransportProcess, FiftyRequestsInFlightNeedNoThreadsOfTheLibrary) {
  constexpr int kRequests = 50;
  std::latch all_read(kRequests);
  std::latch go(1);
  TlsTestServer server(Https(), [&](Peer& peer) {
    while (peer.ReadRequest()) {
      all_read.count_down();
      go.wait();
      peer.Respond(200, "ok");
    }
  });
  TestTransport transport(server);
  const auto before = Entries("/proc/self/task").size();
  std::vector<std::jthread> callers;
  std::atomic<int> succeeded{0};
  for (int i = 0; i < kRequests; ++i) {
    callers.emplace_back([&] {
      if (transport.Get().ok()) ++succeeded;
    });
  }
  all_read.wait();
  const auto during = Entries("/proc/self/task").size();
  go.count_down();
  callers.clear();
  EXPECT_EQ(succeeded, kRequests);
  // One caller and one server thread each; at most the library's resolver thread beside them.
  EXPECT_LE(during, before + 2 * kRequests + 1);
}

TEST(TransportProcess, ConnectionsDoNotOutliveTheTransport) {
  TlsTestServer server(Https(), Always(200, "ok"));
  {
    TestTransport transport(server);
    ASSERT_EQ(Failure(transport.Get()), "");
    EXPECT_EQ(SocketsTo(server.port()).size(), 1U);
  }
  EXPECT_EQ(SocketsTo(server.port()).size(), 0U);
}

TEST(TransportProcess, ParallelRequestsReuseTheirConnections) {
  TlsTestServer server(Https(), Always(200, "ok"));
  TestTransport transport(server);
  constexpr int kThreads = 8;
  std::atomic<int> failed{0};
  {
    std::vector<std::jthread> callers;
    for (int t = 0; t < kThreads; ++t) {
      callers.emplace_back([&] {
        for (int i = 0; i < 100; ++i) failed += transport.Post().ok() ? 0 : 1;
      });
    }
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(server.requests().size(), 800U);
  EXPECT_LE(server.handshakes(), kThreads + 2);
}

TEST(TransportProcess, FailureDropsAllIdleConnections) {
  std::atomic<bool> broken{false};
  std::latch both(2);
  TlsTestServer server(Https(), [&](Peer& peer) {
    bool first = true;
    while (peer.ReadRequest()) {
      if (broken) return;
      if (first && peer.number() < 2) both.arrive_and_wait();  // so that there are two connections
      first = false;
      peer.Respond(200, "ok");
    }
  });
  TestTransport transport(server);
  std::jthread other([&] { EXPECT_EQ(Failure(transport.Get()), ""); });
  ASSERT_EQ(Failure(transport.Get()), "");
  other.join();
  ASSERT_EQ(SocketsTo(server.port()).size(), 2U);
  broken = true;
  EXPECT_FALSE(transport.Post().ok());
  EXPECT_TRUE(server.AwaitNoConnections());
  broken = false;
  EXPECT_EQ(Failure(transport.Post()), "");
}

}  // namespace
}  // namespace dra::test
