// SPDX-License-Identifier: Apache-2.0
//
// A certificate authority in memory, for tests of TLS: it signs what a test asks for.
#pragma once

#include <memory>
#include <string>

struct evp_pkey_st;
struct x509_st;

namespace dra::test {

// A certificate and its key as PEM.
struct TestCertificate {
  std::string certificate;
  std::string key;
};

class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name = "test-ca");
  ~TestAuthority();

  std::string pem() const;

  // `names` is in OpenSSL's notation: "DNS:localhost,IP:127.0.0.1". `valid_seconds` < 0: expired.
  TestCertificate Issue(const std::string& names, long valid_seconds = 3600) const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
  std::shared_ptr<x509_st> certificate_;
};

}  // namespace dra::test
