// SPDX-License-Identifier: Apache-2.0
//
// ServerAddresses: the IP addresses of the API server. A name is resolved when an address is first
// needed, and again when all the addresses known have failed.
//
// Used on the I/O thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/result.h"
#include "kube/server_url.h"

namespace dra::kube {

class ServerAddresses : public std::enable_shared_from_this<ServerAddresses> {
 public:
  using Callback = std::function<void(const Result<std::string>&)>;

  ServerAddresses(boost::asio::io_context& io_thread, ServerUrl server);

  // Calls back with the address to use: now if it is known, else when it is.
  void Get(Callback callback);

  // No answer came from there; the next Get gives another address, if there is one.
  void Failed(const std::string& address);

 private:
  using Endpoints = boost::asio::ip::tcp::resolver::results_type;

  void OnResolved(const boost::system::error_code& error, const Endpoints& endpoints);

  const ServerUrl server_;
  boost::asio::ip::tcp::resolver resolver_;
  std::vector<std::string> addresses_;  // the first is in use
  std::vector<Callback> waiting_;       // not empty: resolving
};

}  // namespace dra::kube
