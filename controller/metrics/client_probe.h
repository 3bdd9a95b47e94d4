// SPDX-License-Identifier: Apache-2.0
//
// rest_client_*: requests to the API server, under client-go's names, labels and buckets.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

namespace dra::metrics {

class Registry;

class ClientProbe {
 public:
  // `host` is the "host:port" label of every series.
  ClientProbe(Registry& registry, std::string_view host);
  ~ClientProbe();

  // One answered or failed request. `code` is the HTTP status, 0 when there was no answer
  // ("<error>").
  void Request(std::string_view method, int code, std::chrono::nanoseconds latency,
               std::size_t request_bytes, std::size_t response_bytes);
  // How long a request waited for flow control.
  void Waited(std::string_view method, std::chrono::nanoseconds time);
  // A request that is sent again after `code`.
  void Retried(std::string_view method, int code);

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace dra::metrics
