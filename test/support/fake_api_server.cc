// SPDX-License-Identifier: Apache-2.0
#include "support/fake_api_server.h"

#include <algorithm>

#include "support/fake_verbs.h"

namespace dra::test {
namespace {

std::string_view Name(kube::Method method) {
  switch (method) {
    case kube::Method::kGet:
      return "GET";
    case kube::Method::kPost:
      return "POST";
    case kube::Method::kPatch:
      return "PATCH";
    case kube::Method::kDelete:
      return "DELETE";
  }
  return "?";
}

bool Meets(const RequestMatcher& matcher, const FakeRoute& route, const kube::Request& request) {
  if (matcher.method.has_value() && *matcher.method != request.method) return false;
  if (matcher.watch.has_value() && *matcher.watch != route.IsTrue("watch")) return false;
  return route.path.find(matcher.path_contains) != std::string::npos &&
         request.body.find(matcher.body_contains) != std::string::npos;
}

kube::Response AnswerOf(int status, const Json& body) { return {status, body.dump(), {}}; }

// `body`: of the request; where the object of a create is named.
StatusSubject SubjectOf(const FakeRoute& route, const std::string& body) {
  if (route.kind == nullptr) return {};
  std::string name = route.key.name;
  if (name.empty()) name = MetaField(Json::parse(body, nullptr, false), "name");
  return {route.kind->group, route.kind->plural, std::move(name)};
}

kube::Response ErrorAnswer(const FakeRoute& route, const Error& error,
                           const std::string& body = "") {
  kube::Response response = AnswerOf(error.http_status, StatusBody(error, SubjectOf(route, body)));
  response.retry_after = error.retry_after;
  return response;
}

}  // namespace

std::string LoggedRequest::ToString() const {
  return std::string(Name(method)) + " " + path + " -> " + std::to_string(status) +
         (body.empty() ? "" : " " + body);
}

FakeApiServer::FakeApiServer(Clock& clock) : clock_(clock), state_(std::make_shared<FakeState>()) {}

Result<kube::Response> FakeApiServer::Send(const kube::Request& request,
                                           const std::stop_token& stop) {
  if (stop.stop_requested()) return Error(Code::kCancelled, "stopped before it was sent");
  const FakeRoute route = FakeRoute::Parse(request.target);
  if (auto answer = Interfere(route, request, stop)) return *std::move(answer);
  MutexLock lock(state_->mutex);
  kube::Response response = Serve(route, request);
  Log(route, request, response.status);
  state_->changed.notify_all();
  return response;
}

Result<kube::StreamResponse> FakeApiServer::Open(const kube::Request& request,
                                                 const std::stop_token& stop) {
  if (stop.stop_requested()) return Error(Code::kCancelled, "stopped before it was sent");
  const FakeRoute route = FakeRoute::Parse(request.target);
  const auto refused = [](const kube::Response& response) {
    return kube::StreamResponse{response.status, nullptr, response.body, response.retry_after};
  };
  if (const auto answer = Interfere(route, request, stop)) {
    if (!answer->ok()) return answer->error();
    return refused(**answer);
  }
  MutexLock lock(state_->mutex);
  if (route.kind == nullptr || !route.IsTrue("watch")) {
    const kube::Response response = Serve(route, request);
    Log(route, request, response.status);
    return refused(response);
  }
  auto start = FakeVerbs(state_->store, clock_).StartWatch(route);
  Log(route, request, start.ok() ? 200 : start.error().http_status);
  if (!start.ok()) return refused(ErrorAnswer(route, start.error()));
  kube::StreamResponse response;
  response.status = 200;
  response.stream = OpenFakeWatch(state_, *std::move(start));
  state_->changed.notify_all();
  return response;
}

kube::Response FakeApiServer::Serve(const FakeRoute& route, const kube::Request& request) {
  if (route.kind == nullptr) {
    return ErrorAnswer(route, NotFound("the server could not find the path", route.path));
  }
  try {
    FakeVerbs verbs(state_->store, clock_);
    if (route.IsTrue("watch")) {  // by somebody who does not read streams: the first part of it
      auto start = verbs.StartWatch(route);
      if (!start.ok()) return ErrorAnswer(route, start.error());
      return {200, start->initial, {}};
    }
    const auto answer = verbs.Do(route, request);
    if (!answer.ok()) return ErrorAnswer(route, answer.error(), request.body);
    return AnswerOf(request.method == kube::Method::kPost ? 201 : 200, *answer);
  } catch (const Json::exception& exception) {  // values of types that no schema would allow
    return ErrorAnswer(route, BadRequest(exception.what()));
  }
}

// --- Faults ---

std::optional<FakeApiServer::PlannedFault> FakeApiServer::TakeFault(const FakeRoute& route,
                                                                    const kube::Request& request) {
  MutexLock lock(state_->mutex);
  const auto found = std::find_if(faults_.begin(), faults_.end(), [&](const PlannedFault& fault) {
    return Meets(fault.matcher, route, request);
  });
  if (found == faults_.end()) return std::nullopt;
  PlannedFault taken = *found;
  if (--found->times == 0) faults_.erase(found);
  return taken;
}

std::optional<Result<kube::Response>> FakeApiServer::Interfere(const FakeRoute& route,
                                                               const kube::Request& request,
                                                               const std::stop_token& stop) {
  auto planned = TakeFault(route, request);
  while (planned.has_value() && planned->action) {
    planned->action();
    planned = TakeFault(route, request);
  }
  if (!planned.has_value()) return std::nullopt;
  const Fault& fault = planned->fault;
  Error unavailable(Code::kUnavailable, "the connection broke");
  unavailable.maybe_applied =
      fault.kind != Fault::Kind::kRefuse && request.method != kube::Method::kGet;
  if (fault.kind == Fault::Kind::kHang) return Result<kube::Response>(Hang(request, stop));
  MutexLock lock(state_->mutex);
  if (fault.kind == Fault::Kind::kAnswer) {
    Log(route, request, fault.status);
    Error error(Code::kInternal, "a planned failure");
    error.http_status = fault.status;
    error.reason = fault.reason;
    error.retry_after = fault.retry_after;
    kube::Response response = ErrorAnswer(route, error);
    if (!fault.body.empty()) response.body = fault.body;
    return Result<kube::Response>(std::move(response));
  }
  int status = 0;
  if (fault.kind == Fault::Kind::kCutAfterCommit) status = Serve(route, request).status;
  if (fault.kind != Fault::Kind::kRefuse) Log(route, request, status);
  state_->changed.notify_all();
  return Result<kube::Response>(std::move(unavailable));
}

Error FakeApiServer::Hang(const kube::Request& request, const std::stop_token& stop) {
  MutexLock lock(state_->mutex);
  clock_.WaitUntil(state_->changed, lock, clock_.Now() + request.deadline, stop,
                   [] { return false; });
  Error error(stop.stop_requested() ? Code::kCancelled : Code::kTimeout, "no answer came");
  error.maybe_applied = request.method != kube::Method::kGet;
  return error;
}

void FakeApiServer::FailNext(const RequestMatcher& matcher, const Fault& fault, int times) {
  MutexLock lock(state_->mutex);
  faults_.push_back({matcher, fault, times, nullptr});
}

void FakeApiServer::BeforeNext(const RequestMatcher& matcher, std::function<void()> action) {
  MutexLock lock(state_->mutex);
  faults_.push_back({matcher, {}, 1, std::move(action)});
}

// --- Log ---

void FakeApiServer::Log(const FakeRoute& route, const kube::Request& request, int status) {
  log_.push_back({request.method, route.path, route.query, request.content_type, request.body,
                  route.IsTrue("watch"), status});
}

std::vector<LoggedRequest> FakeApiServer::Requests() const {
  MutexLock lock(state_->mutex);
  return log_;
}

std::vector<LoggedRequest> FakeApiServer::Writes() const {
  std::vector<LoggedRequest> writes;
  for (LoggedRequest& request : Requests()) {
    if (request.Mutates() && request.path.find("/events") == std::string::npos) {
      writes.push_back(std::move(request));
    }
  }
  return writes;
}

void FakeApiServer::ForgetRequests() {
  MutexLock lock(state_->mutex);
  log_.clear();
}

// --- Objects ---

Json FakeApiServer::Put(Json object) {
  MutexLock lock(state_->mutex);
  Json stored = FakeVerbs(state_->store, clock_).Put(std::move(object));
  state_->changed.notify_all();
  return stored;
}

Json FakeApiServer::Remove(const kube::Resource& resource, const api::ObjectKey& key) {
  MutexLock lock(state_->mutex);
  const ObjectPtr gone = state_->store.Erase(std::string(resource.plural), key);
  state_->changed.notify_all();
  return gone == nullptr ? Json() : *gone;
}

Json FakeApiServer::Find(const kube::Resource& resource, const api::ObjectKey& key) const {
  MutexLock lock(state_->mutex);
  const ObjectPtr found = state_->store.Find(std::string(resource.plural), key);
  return found == nullptr ? Json() : *found;
}

std::vector<Json> FakeApiServer::Objects(const kube::Resource& resource,
                                         const std::string& ns) const {
  MutexLock lock(state_->mutex);
  std::vector<Json> objects;
  for (const ObjectPtr& object : state_->store.Objects(std::string(resource.plural), ns)) {
    objects.push_back(*object);
  }
  return objects;
}

std::vector<Json> FakeApiServer::AllObjects() const {
  MutexLock lock(state_->mutex);
  std::vector<Json> objects;
  for (const FakeKind& kind : FakeKinds()) {
    for (const ObjectPtr& object : state_->store.Objects(kind.plural, "")) {
      objects.push_back(*object);
    }
  }
  return objects;
}

std::vector<Change> FakeApiServer::Changes(const kube::Resource& resource) const {
  MutexLock lock(state_->mutex);
  return state_->store.Changes(std::string(resource.plural));
}

// --- Watches ---

void FakeApiServer::Compact() {
  MutexLock lock(state_->mutex);
  state_->store.Compact();
}

void FakeApiServer::SendBookmarks() {
  MutexLock lock(state_->mutex);
  for (const FakeKind& kind : FakeKinds()) state_->store.AddBookmark(kind.plural);
  state_->changed.notify_all();
}

void FakeApiServer::CutWatches(const kube::Resource& resource, std::optional<Error> error) {
  MutexLock lock(state_->mutex);
  FakeState::Cut& cut = state_->cuts[std::string(resource.plural)];
  ++cut.count;
  cut.error = std::move(error);
  state_->changed.notify_all();
}

void FakeApiServer::HoldWatch(const kube::Resource& resource) {
  MutexLock lock(state_->mutex);
  state_->held[std::string(resource.plural)] = true;
}

void FakeApiServer::ReleaseWatch(const kube::Resource& resource) {
  MutexLock lock(state_->mutex);
  state_->held[std::string(resource.plural)] = false;
  state_->changed.notify_all();
}

int FakeApiServer::OpenStreams() const {
  MutexLock lock(state_->mutex);
  return state_->open_streams;
}

}  // namespace dra::test
