// SPDX-License-Identifier: Apache-2.0
//
// ExchangeTransport: the half of a Transport that does not depend on the HTTP library. It waits for
// exchanges with deadlines and stop requests, applies the limits on answers, and knows what may
// have been applied. The library's half runs the exchanges on a thread of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/clock.h"
#include "kube/credentials.h"
#include "kube/exchange.h"
#include "kube/transport.h"

namespace dra::kube {

class ExchangeTransport : public Transport {
 public:
  struct Options {
    std::string user_agent = "dra-claim-controller/dev";  // product/version
    std::size_t max_body = 256U << 20U;     // of a Send: a whole list of a big kind must fit
    std::size_t stream_window = 4U << 20U;  // unread bytes of an answer before TCP pushes back
  };

  Result<Response> Send(const Request& request, const std::stop_token& stop) final;
  Result<StreamResponse> Open(const Request& request, const std::stop_token& stop) final;

 protected:
  ExchangeTransport(std::shared_ptr<Credentials> credentials, Clock& clock, Options options);

  // Sends the request and feeds the exchange's buffer until its end or failure. Does not block.
  virtual void Begin(const std::shared_ptr<Exchange>& exchange) = 0;

  // Nobody waits for `exchange` any more; its connection is to be closed. `broken`: because no
  // answer came, so the other connections may be dead as well. Does not block; any thread.
  virtual void Cancel(const std::shared_ptr<Exchange>& exchange, bool broken) = 0;

  Credentials& credentials() { return *credentials_; }
  const Options& options() const { return options_; }

 private:
  class Stream;

  std::shared_ptr<Exchange> Start(const Request& request, bool stream);
  // Ends an exchange early; `error` with maybe_applied set.
  Error GiveUp(const std::shared_ptr<Exchange>& exchange, Error error);

  const std::shared_ptr<Credentials> credentials_;
  Clock& clock_;
  const Options options_;
};

}  // namespace dra::kube
