// SPDX-License-Identifier: Apache-2.0
#include "kube/tls.h"

#include <array>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "kube/server_url.h"

namespace dra::kube {
namespace {

template <auto kFree>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
using Bio = std::unique_ptr<BIO, Deleter<BIO_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Context = std::unique_ptr<SSL_CTX, Deleter<SSL_CTX_free>>;

constexpr int kMaxCertificates = 1000;  // in one PEM document

using ObserverSlot = std::weak_ptr<TlsObserver>;

// What OpenSSL last complained about, and an empty queue for the next call.
std::string OpenSslError() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (error == 0) return "no certificate or key found";
  std::array<char, 256> text{};
  ERR_error_string_n(error, text.data(), text.size());
  return text.data();
}

Error Bad(std::string_view what) {
  return Error(Code::kInvalid, std::string(what) + ": " + OpenSslError());
}

Bio MemoryBio(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// An encrypted key must fail and not ask on the terminal.
int NoPassword(char*, int, int, void*) { return -1; }

int ObserverIndex() {
  static const int index = SSL_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void*, void* slot, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<ObserverSlot*>(slot);
      });
  return index;
}

int NameIndex() {
  static const int index = SSL_CTX_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void*, void* name, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<std::string*>(name);
      });
  return index;
}

std::shared_ptr<TlsObserver> ObserverOf(const SSL* connection) {
  const auto* slot = static_cast<ObserverSlot*>(SSL_get_ex_data(connection, ObserverIndex()));
  return slot == nullptr ? nullptr : slot->lock();
}

// In place of OpenSSL's default: whatever per-certificate callback the HTTP library has installed
// (Boost's deprecated RFC 2818 check) is removed, so that only our rules count.
int VerifyServer(X509_STORE_CTX* chain, void*) {
  X509_STORE_CTX_set_verify_cb(chain, [](int ok, X509_STORE_CTX*) { return ok; });
  const int verified = X509_verify_cert(chain);
  if (verified == 1) return 1;
  const auto* connection =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
  if (const auto observer = ObserverOf(connection)) {
    observer->OnRefusedCertificate(X509_verify_cert_error_string(X509_STORE_CTX_get_error(chain)));
  }
  return 0;
}

int AcceptAnyServer(X509_STORE_CTX*, void*) { return 1; }

// SNI is set here, at the start of the handshake, because the HTTP library would take it from the
// URL or the Host header.
void OnInfo(const SSL* connection, int where, int) {
  if ((where & SSL_CB_HANDSHAKE_START) == 0) return;
  auto* name =
      static_cast<std::string*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), NameIndex()));
  if (name != nullptr && !name->empty() && !IsIpAddress(*name)) {
    // Neither object was born const. (SSL_set_tlsext_host_name is a macro with a C cast.)
    SSL_ctrl(const_cast<SSL*>(connection), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             name->data());
  }
}

// NOLINT(readability-function-size) OpenSSL.
void OnMessage(int sent, int, int content_type, const void* bytes, std::size_t size,
               SSL* connection, void*) {
  constexpr std::size_t kHeader = 5;  // type, version (2), length (2)
  if (sent != 0 || content_type != SSL3_RT_HEADER || size < kHeader) return;
  const auto observer = ObserverOf(connection);
  if (!observer) return;
  const auto* header = static_cast<const unsigned char*>(bytes);
  observer->OnRecord(kHeader + (std::size_t{header[3]} << 8U) + header[4]);
}

Result<void> TrustCa(SSL_CTX* context, const std::string& pem) {
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  // As Go does: every certificate in the bundle is an anchor, self-signed or not.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  if (pem.empty()) {
    // Named explicitly, since SSL_CERT_FILE is /dev/null in this process (see CpprestTransport).
    if (SSL_CTX_load_verify_locations(context, X509_get_default_cert_file(), nullptr) != 1) {
      ERR_clear_error();  // no bundle here: the directory may have them
    }
    SSL_CTX_load_verify_locations(context, nullptr, X509_get_default_cert_dir());
    return {};
  }
  const Bio bio = MemoryBio(pem);
  int count = 0;
  for (; count < kMaxCertificates; ++count) {
    const Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr));
    if (!certificate) break;
    if (X509_STORE_add_cert(store, certificate.get()) != 1) return Bad("certificate authority");
  }
  const unsigned long error = ERR_peek_last_error();
  // NO_START_LINE is how a PEM document ends.
  if (count == 0 || (error != 0 && ERR_GET_REASON(error) != PEM_R_NO_START_LINE)) {
    return Bad("certificate authority");
  }
  ERR_clear_error();
  return {};
}

Result<void> UseClientCertificate(SSL_CTX* context, const TlsContext::Material& material) {
  if (material.cert_pem.empty() && material.key_pem.empty()) return {};
  if (material.cert_pem.empty() || material.key_pem.empty()) {
    return Error(Code::kInvalid, "client certificate and client key must be given together");
  }
  const Bio bio = MemoryBio(material.cert_pem);
  const Certificate leaf(PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr));
  if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return Bad("client certificate");
  }
  for (int count = 0; count < kMaxCertificates; ++count) {
    const Certificate next(PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr));
    if (!next) break;
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) return Bad("client certificate chain");
  }
  ERR_clear_error();
  const Bio key_bio = MemoryBio(material.key_pem);
  const Key key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, NoPassword, nullptr));
  if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return Bad("client key");
  }
  return {};
}

Result<void> ExpectName(SSL_CTX* context, const std::string& name) {
  X509_VERIFY_PARAM* rules = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(
      rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  const int set = IsIpAddress(name) ? X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str())
                                    : X509_VERIFY_PARAM_set1_host(rules, name.c_str(), name.size());
  if (name.empty() || set != 1) return Error(Code::kInvalid, "TLS server name \"" + name + "\"");
  return {};
}

}  // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::Create(const Material& material) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_client_method()));
  if (!context) return Bad("TLS context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  DRA_RETURN_IF_ERROR(ExpectName(context.get(), material.server_name));
  SSL_CTX_set_ex_data(context.get(), NameIndex(), new std::string(material.server_name));
  if (material.insecure) {
    SSL_CTX_set_cert_verify_callback(context.get(), AcceptAnyServer, nullptr);
  } else {
    DRA_RETURN_IF_ERROR(TrustCa(context.get(), material.ca_pem));
    SSL_CTX_set_cert_verify_callback(context.get(), VerifyServer, nullptr);
  }
  DRA_RETURN_IF_ERROR(UseClientCertificate(context.get(), material));
  SSL_CTX_set_info_callback(context.get(), OnInfo);
  SSL_CTX_set_msg_callback(context.get(), OnMessage);
  return std::shared_ptr<const TlsContext>(new TlsContext(context.release()));
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

void TlsContext::Observe(ssl_st* connection, std::weak_ptr<TlsObserver> observer) {
  auto* slot = static_cast<ObserverSlot*>(SSL_get_ex_data(connection, ObserverIndex()));
  if (slot != nullptr) {
    *slot = std::move(observer);
  } else {
    SSL_set_ex_data(connection, ObserverIndex(), new ObserverSlot(std::move(observer)));
  }
}

}  // namespace dra::kube
