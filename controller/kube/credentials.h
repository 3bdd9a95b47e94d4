// SPDX-License-Identifier: Apache-2.0
//
// Credentials: who we are at this moment. Tokens of service accounts live for an hour and
// certificates for days, and all of them are replaced under a running process: the files are read
// again every few seconds, and a change shows in the next Identity. A file that cannot be read, or
// is half written, leaves the identity as it was, with a warning.
//
// Thread-safe. Nothing of what it holds is ever logged.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "kube/cluster_config.h"
#include "kube/server_url.h"
#include "kube/tls.h"

namespace dra::kube {

// Who sends a request. A value: it stays as it is while the request runs.
struct Identity {
  std::string token;                      // empty: none
  std::shared_ptr<const TlsContext> tls;  // null: plain http
  std::uint64_t generation = 0;  // grows with `tls`: connections of an older one must not be reused
};

class Credentials {
 public:
  // The kubelet replaces a token at 80 % of its life, so this is early enough by far.
  static constexpr std::chrono::seconds kCheckInterval{10};
  // After a 401 the files are read at once, but not again for each of a storm of them.
  static constexpr std::chrono::seconds kRefreshInterval{1};

  // Reads all files once. An error names the file or the part that is wrong.
  static Result<std::shared_ptr<Credentials>> Load(ClusterConfig config, const Clock& clock);

  Identity Current();

  // The server did not know us: look at the files now.
  void Refresh();

  const ServerUrl& server() const { return server_; }

 private:
  // The contents that files and inline data had when they were last read.
  struct Contents {
    TlsContext::Material tls;
    std::string token;
  };

  Credentials(ClusterConfig config, ServerUrl server, const Clock& clock);

  Result<Contents> Read() const;
  Result<void> Reload();
  // True if the caller is the one who reloads now, `interval` after `last`.
  bool Claim(Clock::Steady& last, Clock::Duration interval) REQUIRES(mutex_);
  void ReloadOrWarn();

  const ClusterConfig config_;
  const ServerUrl server_;
  const Clock& clock_;

  Mutex mutex_;
  Identity identity_ GUARDED_BY(mutex_);
  TlsContext::Material material_ GUARDED_BY(mutex_);  // that identity_.tls was made of
  Clock::Steady checked_ GUARDED_BY(mutex_){};
  Clock::Steady refreshed_ GUARDED_BY(mutex_){};
  bool reloading_ GUARDED_BY(mutex_) = false;
};

}  // namespace dra::kube
