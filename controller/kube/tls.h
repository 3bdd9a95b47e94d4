// SPDX-License-Identifier: Apache-2.0
//
// TlsContext: the TLS settings of one cluster and one identity, shared by all connections. It
// verifies the server itself, with OpenSSL's own host check and with the cluster's CA only, so it
// does not matter what the HTTP library under it trusts or takes for the host name.
//
// Immutable and thread-safe. A rotated file means a new TlsContext.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"

struct ssl_ctx_st;
struct ssl_st;

namespace dra::kube {

// Hears what happens below the HTTP library on one connection. Called on the I/O thread.
class TlsObserver {
 public:
  virtual ~TlsObserver() = default;

  // A record of so many bytes is arriving: the only place where a limit on what the HTTP library
  // buffers can be put.
  virtual void OnRecord(std::size_t bytes) = 0;

  // The server's certificate was refused, and why.
  virtual void OnRefusedCertificate(const std::string& why) = 0;
};

class TlsContext {
 public:
  struct Material {
    std::string ca_pem;    // one or more certificates; empty: the system's roots
    std::string cert_pem;  // the client's certificate and its chain; empty: none
    std::string key_pem;
    std::string server_name;  // name or IP address that the server must prove
    bool insecure = false;    // verify nothing
  };

  // kInvalid, naming the part that is wrong.
  static Result<std::shared_ptr<const TlsContext>> Create(const Material& material);

  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  // Owned by this object; OpenSSL counts references, so connections may outlive it.
  ssl_ctx_st* native() const { return context_; }

  // From now on `observer` hears of this connection. Replaces the one before.
  static void Observe(ssl_st* connection, std::weak_ptr<TlsObserver> observer);

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}

  ssl_ctx_st* const context_;
};

}  // namespace dra::kube
