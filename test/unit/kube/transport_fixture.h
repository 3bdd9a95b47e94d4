// SPDX-License-Identifier: Apache-2.0
//
// A CpprestTransport against a TlsTestServer, in one line.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "kube/cpprest_transport.h"
#include "support/tls_test_server.h"

namespace dra::test {

// The authority that signs the certificates of test servers, and one for 127.0.0.1, ::1 and
// localhost. Made once: keys are slow under sanitizers.
const TestAuthority& Authority();
const TestCertificate& ServerCertificate();

TlsTestServer::Options Https();

// The configuration that trusts the server and sends the token "secret-token".
kube::ClusterConfig ConfigFor(const TlsTestServer& server);

// A transport with its credentials. Fails the test if they cannot be loaded.
class TestTransport {
 public:
  explicit TestTransport(const kube::ClusterConfig& config,
                         kube::CpprestTransport::Options options = {});
  explicit TestTransport(const TlsTestServer& server, kube::CpprestTransport::Options options = {})
      : TestTransport(ConfigFor(server), std::move(options)) {}

  kube::CpprestTransport* operator->() { return &transport_; }
  kube::Credentials& credentials() { return *credentials_; }

  Result<kube::Response> Get(const std::string& target = "/x");
  Result<kube::Response> Post(const std::string& body = "{}");

 private:
  SystemClock clock_;
  std::shared_ptr<kube::Credentials> credentials_;
  kube::CpprestTransport transport_;
};

kube::Request GetRequest(const std::string& target = "/x");
kube::Request PostRequest(const std::string& body = "{}");

// "" if it succeeded, else Describe().
template <class T>
std::string Failure(const Result<T>& result) {
  return result.ok() ? "" : result.error().Describe();
}

// Real time, for tests of deadlines.
class Stopwatch {
 public:
  std::chrono::milliseconds Elapsed() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 start_);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace dra::test
