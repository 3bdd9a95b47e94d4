// SPDX-License-Identifier: Apache-2.0
//
// Who is trusted, under which name, and with which TLS. The library would trust the system's roots
// beside the cluster's CA, and take the name from wherever it finds one.
#include <fstream>

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "transport_fixture.h"

namespace dra::test {
namespace {

using Peer = TlsTestServer::Peer;

std::string FailureOf(const kube::ClusterConfig& config) {
  TestTransport transport(config);
  return Failure(transport.Get());
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(TransportTls, CertificateOfTheClusterIsAccepted) {
  TlsTestServer server(Https(), Always(200, "ok"));
  EXPECT_EQ(FailureOf(ConfigFor(server)), "");
}

TEST(TransportTls, CertificateOfAnotherAuthorityIsRefused) {
  const TestAuthority other("other-ca");
  TlsTestServer server({.certificate = other.Issue("IP:127.0.0.1")}, Always(200, "ok"));
  const std::string failure = FailureOf(ConfigFor(server));
  EXPECT_TRUE(Contains(failure, "the server's certificate is refused")) << failure;
  EXPECT_EQ(server.requests().size(), 0U);
}

TEST(TransportTls, RootsOfTheSystemAreNotTrusted) {
  const TestAuthority other("system-root");
  const std::string path = ::testing::TempDir() + "/system-roots.pem";
  std::ofstream(path) << other.pem();
  kube::CpprestTransport::PrepareProcess();
  const std::string before = std::getenv("SSL_CERT_FILE");
  EXPECT_EQ(before, "/dev/null");
  ::setenv("SSL_CERT_FILE", path.c_str(), 1);
  TlsTestServer server({.certificate = other.Issue("IP:127.0.0.1")}, Always(200, "ok"));
  const std::string failure = FailureOf(ConfigFor(server));
  ::setenv("SSL_CERT_FILE", before.c_str(), 1);
  EXPECT_TRUE(Contains(failure, "the server's certificate is refused")) << failure;
  EXPECT_EQ(server.requests().size(), 0U);
}

TEST(TransportTls, CertificateForAnotherNameIsRefused) {
  TlsTestServer server({.certificate = Authority().Issue("DNS:example.com,IP:10.0.0.1")},
                       Always(200, "ok"));
  const std::string failure = FailureOf(ConfigFor(server));
  EXPECT_TRUE(Contains(failure, "mismatch")) << failure;
  EXPECT_EQ(server.requests().size(), 0U);
}

TEST(TransportTls, CommonNameIsNoProofOfAName) {
  TlsTestServer server({.certificate = Authority().Issue("")}, Always(200, "ok"));
  kube::ClusterConfig config = ConfigFor(server);
  config.tls_server_name = "leaf";  // what Issue() writes as CN
  EXPECT_TRUE(Contains(FailureOf(config), "mismatch"));
}

TEST(TransportTls, SelfSignedCertificateIsRefused) {
  const TestAuthority other("self");
  TlsTestServer server({.certificate = TestAuthority("self-2").Issue("IP:127.0.0.1")},
                       Always(200, "ok"));
  kube::ClusterConfig config = ConfigFor(server);
  config.ca.data = other.pem();
  EXPECT_TRUE(Contains(FailureOf(config), "refused"));
}

TEST(TransportTls, ExpiredCertificateIsRefused) {
  TlsTestServer server({.certificate = Authority().Issue("IP:127.0.0.1", -60)}, Always(200, "ok"));
  EXPECT_TRUE(Contains(FailureOf(ConfigFor(server)), "expired"));
}

TEST(TransportTls, TlsServerNameIsVerifiedAndSentInPlaceOfTheHost) {
  std::string name;
  TlsTestServer server({.certificate = Authority().Issue("DNS:api.internal.example")},
                       [&](Peer& peer) {
                         name = peer.server_name();
                         Always(200, "ok")(peer);
                       });
  kube::ClusterConfig config = ConfigFor(server);
  EXPECT_TRUE(Contains(FailureOf(config), "mismatch"));
  config.tls_server_name = "other.example";
  EXPECT_TRUE(Contains(FailureOf(config), "mismatch"));
  config.tls_server_name = "api.internal.example";
  EXPECT_EQ(FailureOf(config), "");
  EXPECT_EQ(name, "api.internal.example");
}

TEST(TransportTls, AddressIsNotSentAsAName) {
  std::string name = "unset";
  TlsTestServer server(Https(), [&](Peer& peer) {
    name = peer.server_name();
    Always(200, "ok")(peer);
  });
  EXPECT_EQ(FailureOf(ConfigFor(server)), "");
  EXPECT_EQ(name, "");
}

TEST(TransportTls, InsecureAcceptsAnyCertificate) {
  TlsTestServer server({.certificate = TestAuthority("other").Issue("DNS:elsewhere")},
                       Always(200, "ok"));
  kube::ClusterConfig config = ConfigFor(server);
  config.ca = {};
  config.insecure_skip_tls_verify = true;
  EXPECT_EQ(FailureOf(config), "");
}

TEST(TransportTls, WithoutAnAuthorityTheTestServerIsNotTrusted) {
  TlsTestServer server(Https(), Always(200, "ok"));
  kube::ClusterConfig config = ConfigFor(server);
  config.ca = {};
  EXPECT_TRUE(Contains(FailureOf(config), "refused"));
}

TEST(TransportTls, VersionsBelow12AreRefused) {
  TlsTestServer::Options options = Https();
  options.max_tls_version = TLS1_1_VERSION;
  TlsTestServer old(options, Always(200, "ok"));
  EXPECT_NE(FailureOf(ConfigFor(old)), "");
  options.max_tls_version = TLS1_2_VERSION;
  TlsTestServer good(options, Always(200, "ok"));
  EXPECT_EQ(FailureOf(ConfigFor(good)), "");
}

TEST(TransportTls, ClientCertificateIsShown) {
  TlsTestServer::Options options = Https();
  options.client_ca = Authority().pem();
  TlsTestServer server(options, Always(200, "ok"));
  kube::ClusterConfig config = ConfigFor(server);
  EXPECT_NE(FailureOf(config), "");
  const TestCertificate client = Authority().Issue("");
  config.client_certificate.data = client.certificate;
  config.client_key.data = client.key;
  EXPECT_EQ(FailureOf(config), "");
}

}  // namespace
}  // namespace dra::test
