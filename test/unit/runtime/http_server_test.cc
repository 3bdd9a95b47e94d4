// SPDX-License-Identifier: Apache-2.0
#include "runtime/http_server.h"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dra::runtime {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

HttpAnswer Echo(const HttpQuestion& question) {
  if (question.path == "/bug") throw std::runtime_error("boom");
  if (question.path == "/big") return {200, "text/plain", std::string(4'000'000, 'x')};
  if (question.path == "/missing") return {404, "text/plain", "nothing here\n"};
  return {200, "text/plain", question.path + (question.verbose ? " verbose" : "")};
}

// One TCP connection of a client that is free to misbehave. The server closes what it is done with,
// so Rest() ends.
class Connection {
 public:
  explicit Connection(std::uint16_t port, const char* host = "127.0.0.1") {
    socket_.connect({asio::ip::make_address(host), port});
    const timeval limit{8, 0};  // a server that does not answer fails the test, not the suite
    setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }

  void Send(const std::string& text) {
    boost::system::error_code ignored;  // the server may have closed already
    asio::write(socket_, asio::buffer(text), ignored);
  }

  // Everything until the server closes; "TIMEOUT" if it does not.
  std::string Rest() {
    std::string all;
    std::vector<char> part(65536);
    for (;;) {
      const ssize_t got = recv(socket_.native_handle(), part.data(), part.size(), 0);
      if (got < 0 && errno == EAGAIN) return "TIMEOUT";
      if (got <= 0) return all;
      all.append(part.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  asio::io_context io_;
  tcp::socket socket_{io_};
};

class HttpServerTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto started = server_.Start("127.0.0.1:0");
    ASSERT_TRUE(started.ok());
    ASSERT_NE(server_.port(), 0);
  }

  std::string Ask(const std::string& text) {
    Connection connection(server_.port());
    connection.Send(text);
    return connection.Rest();
  }

  HttpServer server_{Echo};
};

TEST_F(HttpServerTest, AGetIsAnsweredWithTheHandlersText) {
  const std::string answer = Ask("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 6\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n/livez"));
}

TEST_F(HttpServerTest, TheQueryIsNoPartOfThePath) {
  EXPECT_THAT(Ask("GET /livez?verbose HTTP/1.1\r\n\r\n"), EndsWith("/livez verbose"));
  EXPECT_THAT(Ask("GET /livez?a=b&verbose=1 HTTP/1.1\r\n\r\n"), EndsWith("/livez verbose"));
  EXPECT_THAT(Ask("GET /livez?notverbose HTTP/1.1\r\n\r\n"), EndsWith("/livez"));
}

TEST_F(HttpServerTest, HeadHasTheLengthWithoutTheBody) {
  const std::string answer = Ask("HEAD /livez HTTP/1.1\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Length: 6\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, TheHandlersStatusIsKept) {
  EXPECT_THAT(Ask("GET /missing HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(HttpServerTest, OtherMethodsAreRefusedWithAndWithoutBody) {
  for (const char* request :
       {"POST /livez HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "DELETE /livez HTTP/1.1\r\n\r\n"}) {
    const std::string answer = Ask(request);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 405 "));
    EXPECT_THAT(answer, HasSubstr("Allow: GET, HEAD\r\n"));
  }
}

TEST_F(HttpServerTest, GarbageIsABadRequestAndTheServerLives) {
  EXPECT_THAT(Ask("\x16\x03\x01\x02 this is not HTTP\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask("GET /livez HTTP/1.1\r\n\r\n"), EndsWith("/livez"));
}

TEST_F(HttpServerTest, AHeadBeyondEightKibibytesIsRefused) {
  const std::string answer =
      Ask("GET /livez HTTP/1.1\r\nX: " + std::string(9'000, 'a') + "\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, AHandlerThatThrowsIsAnInternalError) {
  EXPECT_THAT(Ask("GET /bug HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(Ask("GET /livez HTTP/1.1\r\n\r\n"), EndsWith("/livez"));
}

TEST_F(HttpServerTest, ABigAnswerArrivesWhole) {
  EXPECT_GT(Ask("GET /big HTTP/1.1\r\n\r\n").size(), 4'000'000U);
}

TEST_F(HttpServerTest, IdleConnectionsCannotLockAProbeOut) {
  std::vector<std::unique_ptr<Connection>> idle;
  for (int i = 0; i < 40; ++i) {
    idle.push_back(std::make_unique<Connection>(server_.port()));
    idle.back()->Send("GET /slow HT");  // and never the rest
  }
  EXPECT_THAT(Ask("GET /livez HTTP/1.1\r\n\r\n"), EndsWith("/livez"));
  EXPECT_EQ(idle.front()->Rest(), "");  // the oldest has made room
}

TEST_F(HttpServerTest, StopEndsIdleConnectionsWithinASecond) {
  Connection idle(server_.port());
  idle.Send("GET ");
  EXPECT_THAT(Ask("GET /livez HTTP/1.1\r\n\r\n"), EndsWith("/livez"));  // `idle` is accepted by now
  const auto before = std::chrono::steady_clock::now();
  server_.Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(1));
  EXPECT_THAT(idle.Rest(), Not(HasSubstr("TIMEOUT")));
}

TEST_F(HttpServerTest, StopDoesNotWaitForAClientThatReadsNothing) {
  Connection lazy(server_.port());
  lazy.Send("GET /big HTTP/1.1\r\n\r\n");
  EXPECT_THAT(Ask("GET /livez HTTP/1.1\r\n\r\n"), EndsWith("/livez"));
  const auto before = std::chrono::steady_clock::now();
  server_.Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(1));
}

TEST_F(HttpServerTest, ATakenAddressIsNamedInTheError) {
  const std::string address = "127.0.0.1:" + std::to_string(server_.port());
  HttpServer second(Echo);
  const auto started = second.Start(address);
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(started.error().message(), HasSubstr(address));
  EXPECT_THAT(started.error().message(), HasSubstr("in use"));
  EXPECT_THAT(started.error().message(), HasSubstr("--metrics-bind-address"));
}

TEST(HttpServerAddress, AMalformedOneIsRefused) {
  for (const char* address : {"", "localhost", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
                              "127.0.0.1:-1", "::1:8080", "[::1:8080", "300.0.0.1:80:80"}) {
    HttpServer server(Echo);
    const auto started = server.Start(address);
    ASSERT_FALSE(started.ok()) << address;
    EXPECT_EQ(started.error().code(), Code::kInvalid) << address;
  }
}

TEST(HttpServerAddress, WithoutAHostAllInterfacesAreServed) {
  HttpServer server(Echo);
  ASSERT_TRUE(server.Start(":0").ok());
  Connection connection(server.port());
  connection.Send("GET /livez HTTP/1.1\r\n\r\n");
  EXPECT_THAT(connection.Rest(), EndsWith("/livez"));
}

TEST(HttpServerAddress, AnIpv6AddressStandsInBrackets) {
  HttpServer server(Echo);
  if (!server.Start("[::1]:0").ok()) GTEST_SKIP() << "this machine has no IPv6 loopback";
  Connection connection(server.port(), "::1");
  connection.Send("GET /livez HTTP/1.1\r\n\r\n");
  EXPECT_THAT(connection.Rest(), EndsWith("/livez"));
}

TEST(HttpServerAddress, AServerThatWasNeverStartedCanBeStopped) {
  HttpServer server(Echo);
  server.Stop();
  EXPECT_EQ(server.port(), 0);
}

}  // namespace
}  // namespace dra::runtime
