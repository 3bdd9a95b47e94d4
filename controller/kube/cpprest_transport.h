// SPDX-License-Identifier: Apache-2.0
//
// CpprestTransport: the Transport over cpprestsdk, and the fence around it. The library is good
// enough and has sharp edges; what this class promises against each of them:
//
// - It never sends a request twice. The library repeats any request, POST included, when a reused
//   connection breaks; here the body can be read once only, so it cannot. A reused connection that
//   the server has closed meanwhile is recognized before a byte leaves, and another one is taken.
// - One I/O thread. Requests start on it, and cancellation happens on it: from elsewhere it races.
// - TLS as in tls.h: only the cluster's CA, our own check of the server's name, TLS 1.2 or newer.
// - Redirects are errors: the library would carry the token to another host.
// - Deadlines are over the whole answer; the library's own are per read.
// - Answers are bounded: 1 MiB of head, max_body of body, 64 KiB of an error's body, and
//   stream_window unread bytes of a stream. (The head is bounded over TLS only; plain http is for
//   loopback.)
// - After any failure no older idle connection is used again.
// - Names are resolved here and the library gets addresses: it cannot connect to IPv6 literals in
//   brackets, and its later connection attempts would lack the socket options.
// - No proxy, whatever the environment says.
//
// Destroy it after the last Send, Open and stream.
#pragma once

#include <memory>

#include "base/clock.h"
#include "kube/credentials.h"
#include "kube/exchange_transport.h"

namespace dra::kube {

class CpprestTransport final : public ExchangeTransport {
 public:
  using Options = ExchangeTransport::Options;

  // Sets up the library's thread and SSL_CERT_FILE (the library loads that file for every
  // connection, which costs 20 ms each, and we want none of it). First thing in main, before other
  // threads; the constructor does it otherwise.
  static void PrepareProcess();

  CpprestTransport(std::shared_ptr<Credentials> credentials, Clock& clock, Options options = {});
  ~CpprestTransport() override;

 protected:
  void Begin(const std::shared_ptr<Exchange>& exchange) override;
  void Cancel(const std::shared_ptr<Exchange>& exchange, bool broken) override;

 private:
  class Core;

  std::shared_ptr<Core> core_;  // shared with the tasks on the I/O thread
};

}  // namespace dra::kube
