// SPDX-License-Identifier: Apache-2.0
//
// Client: the verbs of the Kubernetes API on top of a Transport. It builds paths and queries, asks
// the flow control for permission, turns metav1.Status into Error, counts requests, and repeats
// what may safely be repeated (reads, on a broken connection). There is no Update: a field that we
// do not know can then never be lost.
//
// Thread-safe; all methods block the calling thread until the answer, the deadline or a stop
// request.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "api/meta.h"
#include "base/clock.h"
#include "base/result.h"
#include "kube/resource.h"
#include "kube/transport.h"

namespace dra::metrics {
class ClientProbe;
}

namespace dra::kube {

class FlowControl;

struct ListOptions {
  std::string ns;              // empty: all namespaces
  std::string label_selector;  // empty: all
  int limit = 500;             // page size; 0: no paging
  std::string continue_token;  // of the page before
  std::string resource_version;
  std::string resource_version_match;
};

struct WatchOptions {
  std::string ns;
  std::string
      resource_version;  // start after this version; with send_initial_events: not older than it
  bool send_initial_events = false;
  std::chrono::seconds timeout{0};  // 0: the server's choice
};

enum class PatchType { kMerge, kStrategicMerge, kApply };

struct PatchOptions {
  PatchType type = PatchType::kMerge;
  std::string field_manager;          // required for kApply
  bool force = false;                 // kApply: take fields from other managers
  std::string_view subresource = {};  // "status"; empty: the object itself
};

struct Preconditions {
  std::string uid;               // empty: any; never empty for deletes of ours
  std::string resource_version;  // empty: any
};

// The lines of a watch. One reader; a line is a JSON document without its newline.
class LineStream {
 public:
  // Longer lines end the stream with kMalformed: etcd refuses objects above 1.5 MiB, and a watch
  // event adds little to the object.
  static constexpr std::size_t kMaxLine = 16U << 20U;

  explicit LineStream(std::unique_ptr<ByteStream> bytes) : bytes_(std::move(bytes)) {}

  // The next line, valid until the next call; nullopt at the regular end of the stream.
  Result<std::optional<std::string_view>> Next(const std::stop_token& stop);

 private:
  std::unique_ptr<ByteStream> bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;    // of the unread bytes in buffer_
  std::size_t scanned_ = 0;  // no newline in [begin_, scanned_)
};

class Client {
 public:
  Client(Transport& transport, FlowControl& flow, metrics::ClientProbe& probe, const Clock& clock);

  // The object's JSON.
  Result<std::string> Get(const Resource& resource, const api::ObjectKey& key,
                          const std::stop_token& stop);

  // One page of the collection as JSON (a ...List object).
  Result<std::string> List(const Resource& resource, const ListOptions& options,
                           const std::stop_token& stop);

  // kExpired if the version is gone already. Bookmarks are always asked for.
  Result<LineStream> Watch(const Resource& resource, const WatchOptions& options,
                           const std::stop_token& stop);

  // The created object's JSON. kAlreadyExists if the name is taken. A result with `maybe_applied`
  // is never repeated here.
  Result<std::string> Create(const Resource& resource, std::string_view ns, std::string body,
                             const std::stop_token& stop);

  // The patched object's JSON. kConflict on a precondition in the body that does not hold.
  Result<std::string> Patch(const Resource& resource, const api::ObjectKey& key,
                            const PatchOptions& options, std::string body,
                            const std::stop_token& stop);

  // Success also when the object is gone already (kNotFound is not an error here). kConflict when
  // another object holds the name.
  Result<void> Delete(const Resource& resource, const api::ObjectKey& key,
                      const Preconditions& preconditions, const std::stop_token& stop);

 private:
  struct Answered {
    Clock::Steady start{};
    int status = 0;  // 0: no answer
    std::size_t bytes = 0;
    std::optional<std::chrono::milliseconds> retry_after{};
  };

  // Waits for the flow control; the time at which the request starts. Record() must follow.
  Result<Clock::Steady> Admit(const Request& request, const std::stop_token& stop);
  void Record(const Request& request, const Answered& answered);
  Result<Response> SendOnce(const Request& request, const std::stop_token& stop);
  Result<std::string> Answer(const Request& request, const std::stop_token& stop);

  Transport& transport_;
  FlowControl& flow_;
  metrics::ClientProbe& probe_;
  const Clock& clock_;
};

}  // namespace dra::kube
