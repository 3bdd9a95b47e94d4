// SPDX-License-Identifier: Apache-2.0
#include "transport_fixture.h"

#include <gtest/gtest.h>

namespace dra::test {
namespace {

std::shared_ptr<kube::Credentials> LoadOrDie(const kube::ClusterConfig& config,
                                             const Clock& clock) {
  auto credentials = kube::Credentials::Load(config, clock);
  if (!credentials.ok()) {
    ADD_FAILURE() << credentials.error().Describe();
    std::abort();
  }
  return *credentials;
}

}  // namespace

const TestAuthority& Authority() {
  static const TestAuthority authority;
  return authority;
}

const TestCertificate& ServerCertificate() {
  static const TestCertificate certificate = Authority().Issue("IP:127.0.0.1,IP:::1,DNS:localhost");
  return certificate;
}

TlsTestServer::Options Https() { return {.certificate = ServerCertificate()}; }

kube::ClusterConfig ConfigFor(const TlsTestServer& server) {
  kube::ClusterConfig config;
  config.origin = "test";
  config.server = server.url();
  config.ca.data = Authority().pem();
  config.token = "secret-token";
  return config;
}

TestTransport::TestTransport(const kube::ClusterConfig& config,
                             kube::CpprestTransport::Options options)
    : credentials_(LoadOrDie(config, clock_)),
      transport_(credentials_, clock_, std::move(options)) {}

Result<kube::Response> TestTransport::Get(const std::string& target) {
  return transport_.Send(GetRequest(target), {});
}

Result<kube::Response> TestTransport::Post(const std::string& body) {
  return transport_.Send(PostRequest(body), {});
}

kube::Request GetRequest(const std::string& target) {
  return {.target = target, .deadline = std::chrono::seconds(10)};
}

kube::Request PostRequest(const std::string& body) {
  return {.method = kube::Method::kPost,
          .target = "/x",
          .content_type = "application/json",
          .body = body,
          .deadline = std::chrono::seconds(10)};
}

}  // namespace dra::test
