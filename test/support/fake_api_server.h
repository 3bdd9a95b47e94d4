// SPDX-License-Identifier: Apache-2.0
//
// FakeApiServer: a Kubernetes API server in memory, without sockets: it is the Transport. It has
// the behaviour of kube-apiserver 1.37 that the product relies on, and test/conformance runs the
// same tests on it and on the real one. What it does not have: authorization, managedFields in
// objects, schemas (unknown fields are kept), namespaces that must exist, garbage collection,
// kubelets. Limits of a request's JSON are those of nlohmann.
//
// Beside the API it has hooks for tests: direct writes (Put, Remove), faults, watches that are held
// back or cut, compaction, and a log of all requests.
//
// Thread-safe. Requests are answered at once, on the caller's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "kube/resource.h"
#include "kube/transport.h"
#include "support/fake_route.h"
#include "support/fake_store.h"
#include "support/fake_watch.h"

namespace dra::test {

struct LoggedRequest {
  kube::Method method = kube::Method::kGet;
  std::string path;  // decoded, without the query
  std::map<std::string, std::string> query;
  std::string content_type;
  std::string body;
  bool watch = false;
  int status = 0;  // 0: the fault was that there is no answer

  bool Mutates() const { return method != kube::Method::kGet; }
  // "PATCH /api/v1/...", for failure texts.
  std::string ToString() const;
};

// Which requests a fault meets; what is empty matches all.
struct RequestMatcher {
  std::optional<kube::Method> method = std::nullopt;
  std::string path_contains = {};  // of the decoded path
  std::string body_contains = {};
  std::optional<bool> watch = std::nullopt;  // only watches, or only other requests
};

struct Fault {
  enum class Kind {
    kAnswer,          // `status` and `body` (empty: a Status made of status and reason) at once
    kRefuse,          // no connection: nothing was sent
    kCutBeforeReply,  // the request was sent, was not carried out, and nobody knows
    kCutAfterCommit,  // the request was carried out, and nobody knows
    kHang,            // until the caller stops, or its deadline (then kTimeout)
  };

  Kind kind = Kind::kAnswer;
  int status = 500;
  std::string reason = "InternalError";
  std::string body;
  std::optional<std::chrono::milliseconds> retry_after;

  static Fault Answer(int status, std::string reason) {
    return {Kind::kAnswer, status, reason, {}, {}};
  }
  static Fault Throttle(std::chrono::milliseconds retry_after) {
    return {Kind::kAnswer, 429, "TooManyRequests", {}, retry_after};
  }
  static Fault Of(Kind kind) { return {kind, 0, {}, {}, {}}; }
};

class FakeApiServer final : public kube::Transport {
 public:
  // The clock gives creationTimestamp and deletionTimestamp, and ends hanging requests.
  explicit FakeApiServer(Clock& clock);

  Result<kube::Response> Send(const kube::Request& request, const std::stop_token& stop) override;
  Result<kube::StreamResponse> Open(const kube::Request& request,
                                    const std::stop_token& stop) override;

  // --- Objects, past all rules. ---

  // Creates or replaces the object as it is, and returns what is stored. The kind comes from
  // object["kind"]. Missing uid, creationTimestamp are filled in, the uid of an object that is
  // replaced is kept unless another is given (then the watch shows a deletion first).
  Json Put(Json object);
  // The object's last state, or null when there was none. Finalizers do not matter.
  Json Remove(const kube::Resource& resource, const api::ObjectKey& key);
  // Null when there is none.
  Json Find(const kube::Resource& resource, const api::ObjectKey& key) const;
  std::vector<Json> Objects(const kube::Resource& resource, const std::string& ns = {}) const;
  // Everything, by kind and key.
  std::vector<Json> AllObjects() const;
  // Every change of one resource since the start, with the state after it.
  std::vector<Change> Changes(const kube::Resource& resource) const;

  // --- Watches. ---

  // Versions older than now are gone: 410.
  void Compact();
  // To every stream that allows bookmarks, after what came before.
  void SendBookmarks();
  // Ends all streams of the resource: regularly, or with an error.
  void CutWatches(const kube::Resource& resource, std::optional<Error> error = std::nullopt);
  // Streams of the resource, also new ones, deliver nothing until the release; nothing is lost.
  void HoldWatch(const kube::Resource& resource);
  void ReleaseWatch(const kube::Resource& resource);
  int OpenStreams() const;

  // --- Faults. Each one is used up by `times` matching requests, oldest first. ---

  void FailNext(const RequestMatcher& matcher, const Fault& fault, int times = 1);
  // Runs `action` before the next matching request is looked at; it may use all methods of this
  // object. For races: something happens between the client's read and its write.
  void BeforeNext(const RequestMatcher& matcher, std::function<void()> action);

  std::vector<LoggedRequest> Requests() const;
  std::vector<LoggedRequest> Writes() const;  // the mutating ones, without events
  void ForgetRequests();

 private:
  struct PlannedFault {
    RequestMatcher matcher;
    Fault fault;
    int times;
    std::function<void()> action;  // set: no fault
  };

  std::optional<PlannedFault> TakeFault(const FakeRoute& route, const kube::Request& request);
  // The answer to a request that may meet a fault; nullopt: no answer was planned.
  std::optional<Result<kube::Response>> Interfere(const FakeRoute& route,
                                                  const kube::Request& request,
                                                  const std::stop_token& stop);
  Error Hang(const kube::Request& request, const std::stop_token& stop);
  kube::Response Serve(const FakeRoute& route, const kube::Request& request);
  void Log(const FakeRoute& route, const kube::Request& request, int status);

  Clock& clock_;
  const std::shared_ptr<FakeState> state_;  // its mutex guards the rest, too
  std::vector<PlannedFault> faults_;
  std::vector<LoggedRequest> log_;
};

}  // namespace dra::test
