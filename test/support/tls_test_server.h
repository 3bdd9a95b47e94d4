// SPDX-License-Identifier: Apache-2.0
//
// TlsTestServer: an HTTP or HTTPS server on loopback whose every byte the test decides. Each
// connection runs the script on a thread of its own; when the script returns, it is closed.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "support/test_certificates.h"

struct ssl_ctx_st;
struct ssl_st;

namespace dra::test {

struct ReceivedRequest {
  std::string method;
  std::string target;
  std::string head;  // all lines, as received
  std::string body;

  // Of the first header called so, in any case; empty if there is none.
  std::string Header(std::string_view name) const;
};

class TlsTestServer {
 public:
  // What a script sees of a connection. All calls fail once the client or the server is gone.
  class Peer {
   public:
    // The next request with its whole body; nullopt when the connection has ended.
    std::optional<ReceivedRequest> ReadRequest();

    bool Write(std::string_view bytes);
    // A whole answer with a Content-Length. `headers`: lines with \r\n each.
    bool Respond(int status, std::string_view body, std::string_view headers = {});
    // The head of a chunked answer, and one chunk of it (empty: the last).
    bool StartChunked(int status = 200, std::string_view headers = {});
    bool WriteChunk(std::string_view bytes);

    // Blocks until the client closes, or the server stops.
    void AwaitClose();
    // Ends the connection by a TCP reset.
    void Reset();

    // Connections are numbered from 0 in the order in which they came.
    int number() const { return number_; }
    // What the client named in its hello; empty without TLS.
    std::string server_name() const;

   private:
    friend class TlsTestServer;
    Peer(TlsTestServer& server, int socket, int number)
        : server_(server), socket_(socket), number_(number) {}
    int ReadSome(char* out, int size);

    TlsTestServer& server_;
    const int socket_;
    const int number_;
    ssl_st* tls_ = nullptr;
    std::string unread_;
  };

  using Script = std::function<void(Peer&)>;

  struct Options {
    std::optional<TestCertificate> certificate{};  // none: plain http
    std::string client_ca{};  // PEM; not empty: clients must have a certificate
    bool ipv6 = false;
    int receive_buffer = 0;  // bytes; 0: the system's choice
    int max_tls_version = 0;
  };

  TlsTestServer(Options options, Script script);
  ~TlsTestServer();

  int port() const { return port_; }
  std::string url(const std::string& host = {}) const;

  // TCP connections accepted, TLS handshakes completed, and requests read, until now.
  int connections() const { return connections_; }
  int handshakes() const { return handshakes_; }
  std::vector<ReceivedRequest> requests() const;
  // Waits (at most 10 s of real time) until all accepted connections are gone.
  bool AwaitNoConnections();

 private:
  void Accept(const std::stop_token& stop);
  void Serve(int socket, int number);
  bool Handshake(Peer& peer);

  const Options options_;
  const Script script_;
  std::shared_ptr<ssl_ctx_st> context_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::atomic<int> handshakes_{0};

  mutable Mutex mutex_;
  CondVar changed_;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::vector<int> open_ GUARDED_BY(mutex_);  // sockets
  std::vector<ReceivedRequest> requests_ GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_ GUARDED_BY(mutex_);
  std::jthread acceptor_;
};

// The script of a well-behaved server: every request gets the same answer on a kept connection.
TlsTestServer::Script Always(int status, std::string body, std::string headers = {});

}  // namespace dra::test
