// SPDX-License-Identifier: Apache-2.0
#include "kube/server_addresses.h"

#include <algorithm>

namespace dra::kube {

using boost::asio::ip::tcp;

ServerAddresses::ServerAddresses(boost::asio::io_context& io_thread, ServerUrl server)
    : server_(std::move(server)), resolver_(io_thread) {
  if (server_.HasIpAddress()) addresses_.push_back(server_.host);
}

void ServerAddresses::Get(Callback callback) {
  if (!addresses_.empty()) {
    callback(addresses_.front());
    return;
  }
  waiting_.push_back(std::move(callback));
  if (waiting_.size() > 1) return;
  resolver_.async_resolve(server_.host, server_.port, tcp::resolver::address_configured,
                          [self = shared_from_this()](const boost::system::error_code& error,
                                                      const Endpoints& endpoints) {
                            self->OnResolved(error, endpoints);
                          });
}

void ServerAddresses::OnResolved(const boost::system::error_code& error,
                                 const Endpoints& endpoints) {
  if (!error) {
    for (const auto& entry : endpoints) {
      const std::string address = entry.endpoint().address().to_string();
      if (std::find(addresses_.begin(), addresses_.end(), address) == addresses_.end()) {
        addresses_.push_back(address);
      }
    }
  }
  Result<std::string> result =
      Error(Code::kUnavailable, "cannot resolve " + server_.host + ": " +
                                    (error ? error.message() : "there is no address"));
  if (!addresses_.empty()) result = addresses_.front();
  std::vector<Callback> waiting;
  waiting.swap(waiting_);
  for (const Callback& callback : waiting) callback(result);
}

void ServerAddresses::Failed(const std::string& address) {
  if (server_.HasIpAddress() || addresses_.empty() || addresses_.front() != address) return;
  addresses_.erase(addresses_.begin());
}

}  // namespace dra::kube
