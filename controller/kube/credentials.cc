// SPDX-License-Identifier: Apache-2.0
#include "kube/credentials.h"

#include <algorithm>
#include <string_view>

#include "base/log.h"
#include "kube/small_file.h"

namespace dra::kube {
namespace {

constexpr std::size_t kMaxPem = 1U << 20U;
constexpr std::size_t kMaxToken = 64U << 10U;

Result<std::string> ReadPem(const PemSource& source, std::string_view what) {
  if (!source.data.empty() || source.path.empty()) return source.data;
  auto content = ReadSmallFile(source.path, kMaxPem);
  if (!content.ok()) return content.error().Context(what);
  if (content->empty()) return Error(Code::kInvalid, std::string(what) + ": the file is empty");
  return content;
}

// A token goes into a header line: what is not visible ASCII must not get there.
Result<std::string> CleanToken(std::string text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string::npos) return Error(Code::kInvalid, "bearer token: empty");
  std::string token = text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
  if (!std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c < 0x7F; })) {
    return Error(Code::kInvalid, "bearer token: has characters that no token has");
  }
  return token;
}

bool Same(const TlsContext::Material& a, const TlsContext::Material& b) {
  return a.ca_pem == b.ca_pem && a.cert_pem == b.cert_pem && a.key_pem == b.key_pem;
}

}  // namespace

Credentials::Credentials(ClusterConfig config, ServerUrl server, const Clock& clock)
    : config_(std::move(config)), server_(std::move(server)), clock_(clock) {}

Result<std::shared_ptr<Credentials>> Credentials::Load(ClusterConfig config, const Clock& clock) {
  DRA_TRY(ServerUrl server, ServerUrl::Parse(config.server));
  if (config.insecure_skip_tls_verify) {
    log::Warning("the API server's certificate is not verified: insecure-skip-tls-verify is set",
                 {{"server", server.HostPort()}, {"config", config.origin}});
  }
  std::shared_ptr<Credentials> credentials(
      new Credentials(std::move(config), std::move(server), clock));
  DRA_RETURN_IF_ERROR(credentials->Reload());
  {
    MutexLock lock(credentials->mutex_);
    credentials->checked_ = clock.Now();
  }
  return credentials;
}

Result<Credentials::Contents> Credentials::Read() const {
  Contents contents;
  if (!config_.token_file.empty()) {
    auto text = ReadSmallFile(config_.token_file, kMaxToken);
    if (!text.ok()) return text.error().Context("token file");
    DRA_TRY(contents.token, CleanToken(std::move(*text)));
  } else if (!config_.token.empty()) {
    DRA_TRY(contents.token, CleanToken(config_.token));
  }
  if (!server_.tls) return contents;
  DRA_TRY(contents.tls.ca_pem, ReadPem(config_.ca, "certificate authority"));
  DRA_TRY(contents.tls.cert_pem, ReadPem(config_.client_certificate, "client certificate"));
  DRA_TRY(contents.tls.key_pem, ReadPem(config_.client_key, "client key"));
  contents.tls.server_name =
      config_.tls_server_name.empty() ? server_.host : config_.tls_server_name;
  contents.tls.insecure = config_.insecure_skip_tls_verify;
  return contents;
}

Result<void> Credentials::Reload() {
  DRA_TRY(Contents contents, Read());
  std::shared_ptr<const TlsContext> tls;
  bool changed = false;
  {
    MutexLock lock(mutex_);
    changed = server_.tls && (identity_.tls == nullptr || !Same(material_, contents.tls));
    // A new token is good even if a new certificate turns out not to be.
    identity_.token = std::move(contents.token);
  }
  if (!changed) return {};
  DRA_TRY(tls, TlsContext::Create(contents.tls));
  MutexLock lock(mutex_);
  identity_.tls = std::move(tls);
  ++identity_.generation;
  material_ = std::move(contents.tls);
  return {};
}

bool Credentials::Claim(Clock::Steady& last, Clock::Duration interval) {
  const auto now = clock_.Now();
  if (reloading_ || now - last < interval) return false;
  last = now;
  reloading_ = true;
  return true;
}

void Credentials::ReloadOrWarn() {
  const auto reloaded = Reload();
  if (!reloaded.ok()) {
    log::Warning("credentials could not be read again; the old ones stay in use",
                 {{"config", config_.origin}, {"error", reloaded.error()}});
  }
  MutexLock lock(mutex_);
  reloading_ = false;
}

Identity Credentials::Current() {
  bool mine = false;
  {
    MutexLock lock(mutex_);
    mine = Claim(checked_, kCheckInterval);
  }
  if (mine) ReloadOrWarn();
  MutexLock lock(mutex_);
  return identity_;
}

void Credentials::Refresh() {
  bool mine = false;
  {
    MutexLock lock(mutex_);
    mine = Claim(refreshed_, kRefreshInterval);
  }
  if (mine) ReloadOrWarn();
}

}  // namespace dra::kube
