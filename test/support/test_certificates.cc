// SPDX-License-Identifier: Apache-2.0
#include "support/test_certificates.h"

#include <atomic>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace dra::test {
namespace {

void Check(bool ok) {
  if (!ok) throw std::runtime_error("OpenSSL refused to make a test certificate");
}

std::shared_ptr<EVP_PKEY> NewKey() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  Check(key != nullptr);
  return {key, EVP_PKEY_free};
}

void AddExtension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  Check(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

std::shared_ptr<X509> NewCertificate(EVP_PKEY* key, const std::string& name, long valid_seconds) {
  static std::atomic<long> serial{1};
  std::shared_ptr<X509> certificate(X509_new(), X509_free);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -7200);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), valid_seconds);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

template <class Write>
std::string ToPem(Write write) {
  BIO* bio = BIO_new(BIO_s_mem());
  Check(write(bio) == 1);
  std::string text(4096, '\0');
  const int size = BIO_read(bio, text.data(), static_cast<int>(text.size()));
  BIO_free(bio);
  Check(size > 0);
  text.resize(static_cast<std::size_t>(size));
  return text;
}

std::string ToPem(X509* certificate) {
  return ToPem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

}  // namespace

TestAuthority::TestAuthority(const std::string& name) : key_(NewKey()) {
  certificate_ = NewCertificate(key_.get(), name, 3600);
  X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
  AddExtension(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate_.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  Check(X509_sign(certificate_.get(), key_.get(), EVP_sha256()) > 0);
}

TestAuthority::~TestAuthority() = default;

std::string TestAuthority::pem() const { return ToPem(certificate_.get()); }

TestCertificate TestAuthority::Issue(const std::string& names, long valid_seconds) const {
  const auto key = NewKey();
  const auto leaf = NewCertificate(key.get(), "leaf", valid_seconds);
  X509_set_issuer_name(leaf.get(), X509_get_subject_name(certificate_.get()));
  AddExtension(leaf.get(), NID_basic_constraints, "CA:FALSE");
  AddExtension(leaf.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  if (!names.empty()) AddExtension(leaf.get(), NID_subject_alt_name, names);
  Check(X509_sign(leaf.get(), key_.get(), EVP_sha256()) > 0);
  return {ToPem(leaf.get()), ToPem([&](BIO* bio) {
            return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

}  // namespace dra::test
