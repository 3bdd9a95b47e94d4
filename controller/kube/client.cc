// SPDX-License-Identifier: Apache-2.0
#include "kube/client.h"

#include <algorithm>

#include "api/patch.h"
#include "api/status.h"
#include "base/strings.h"
#include "kube/flow_control.h"
#include "metrics/client_probe.h"

namespace dra::kube {
namespace {

constexpr std::string_view kJson = "application/json";

// However long a server asks us to stay away: whoever waits must come back some day, and sums of
// times must not overflow.
constexpr std::chrono::milliseconds kLongestRetryAfter = std::chrono::hours(1);

// Collects "?a=b&c=d" with encoded values.
class Target {
 public:
  explicit Target(std::string path) : text_(std::move(path)) {}

  Target& Add(std::string_view name, std::string_view value) {
    text_ += text_.find('?') == std::string::npos ? '?' : '&';
    text_ += name;
    text_ += '=';
    text_ += UrlEncode(value);
    return *this;
  }

  Target& AddUnlessEmpty(std::string_view name, std::string_view value) {
    return value.empty() ? *this : Add(name, value);
  }

  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string_view ContentType(PatchType type) {
  switch (type) {
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";  // JSON is YAML
  }
  return kJson;
}

// "PATCH /api/v1/...": without the query, which may hold selectors and page tokens.
std::string Name(const Request& request) {
  return std::string(ToString(request.method)) + " " +
         request.target.substr(0, request.target.find('?'));
}

FlowControl::Outcome OutcomeOf(int status) {
  if (status == 429) return FlowControl::Outcome::kThrottled;
  // 0: no answer. 504 took as long as it took for reasons of its own.
  return status == 0 || status >= 500 ? FlowControl::Outcome::kFailure
                                      : FlowControl::Outcome::kSuccess;
}

Error Refused(const Request& request, int status, std::string_view body,
              std::optional<std::chrono::milliseconds> retry_after) {
  Error error =
      api::ErrorFromStatus(status, body, request.method == Method::kPost).Context(Name(request));
  error.http_status = status;
  if (retry_after) error.retry_after = retry_after;
  if (error.retry_after) error.retry_after = std::min(*error.retry_after, kLongestRetryAfter);
  // A server error may come after the write: a time-out of the server's own, a broken aggregator.
  if (request.method != Method::kGet && status >= 500) error.maybe_applied = true;
  return error;
}

// A read that may be sent again, now: its connection broke, or its token was just replaced (a 401
// makes the transport read the token file again).
bool WorthAnotherTry(const Request& request, const Result<Response>& response) {
  if (request.method != Method::kGet) return false;
  return response.ok() ? response->status == 401 : response.error().code() == Code::kUnavailable;
}

}  // namespace

Client::Client(Transport& transport, FlowControl& flow, metrics::ClientProbe& probe,
               const Clock& clock)
    : transport_(transport), flow_(flow), probe_(probe), clock_(clock) {}

Result<Clock::Steady> Client::Admit(const Request& request, const std::stop_token& stop) {
  const auto asked = clock_.Now();
  DRA_RETURN_IF_ERROR(flow_.Acquire(stop));
  const auto start = clock_.Now();
  probe_.Waited(ToString(request.method), start - asked);
  return start;
}

void Client::Record(const Request& request, const Answered& answered) {
  const auto latency = clock_.Now() - answered.start;
  flow_.Release(OutcomeOf(answered.status), latency,
                answered.status == 429
                    ? std::min(answered.retry_after.value_or(std::chrono::milliseconds(0)),
                               kLongestRetryAfter)
                    : std::chrono::milliseconds(0));
  probe_.Request(ToString(request.method), answered.status, latency, request.body.size(),
                 answered.bytes);
}

Result<Response> Client::SendOnce(const Request& request, const std::stop_token& stop) {
  DRA_TRY(const auto start, Admit(request, stop));
  auto response = transport_.Send(request, stop);
  Answered answered{.start = start};
  if (response.ok()) {
    answered.status = response->status;
    answered.bytes = response->body.size();
    answered.retry_after = response->retry_after;
  }
  Record(request, answered);
  return response;
}

Result<std::string> Client::Answer(const Request& request, const std::stop_token& stop) {
  auto response = SendOnce(request, stop);
  if (WorthAnotherTry(request, response) && !stop.stop_requested()) {
    probe_.Retried(ToString(request.method), response.ok() ? response->status : 0);
    response = SendOnce(request, stop);
  }
  if (!response.ok()) return response.error().Context(Name(request));
  if (response->status >= 200 && response->status < 300) return std::move(response->body);
  return Refused(request, response->status, response->body, response->retry_after);
}

Result<std::string> Client::Get(const Resource& resource, const api::ObjectKey& key,
                                const std::stop_token& stop) {
  return Answer({.target = resource.ObjectPath(key)}, stop);
}

Result<std::string> Client::List(const Resource& resource, const ListOptions& options,
                                 const std::stop_token& stop) {
  Target target(resource.CollectionPath(options.ns));
  if (options.limit > 0) target.Add("limit", std::to_string(options.limit));
  target.AddUnlessEmpty("labelSelector", options.label_selector)
      .AddUnlessEmpty("continue", options.continue_token)
      .AddUnlessEmpty("resourceVersion", options.resource_version)
      .AddUnlessEmpty("resourceVersionMatch", options.resource_version_match);
  return Answer({.target = target.Take()}, stop);
}

Result<LineStream> Client::Watch(const Resource& resource, const WatchOptions& options,
                                 const std::stop_token& stop) {
  Target target(resource.CollectionPath(options.ns));
  target.Add("watch", "true").Add("allowWatchBookmarks", "true");
  if (options.send_initial_events) {
    target.Add("sendInitialEvents", "true").Add("resourceVersionMatch", "NotOlderThan");
  }
  target.AddUnlessEmpty("resourceVersion", options.resource_version);
  if (options.timeout.count() > 0) {
    target.Add("timeoutSeconds", std::to_string(options.timeout.count()));
  }
  const Request request{.target = target.Take()};

  DRA_TRY(const auto start, Admit(request, stop));
  auto opened = transport_.Open(request, stop);
  Answered answered{.start = start};
  if (opened.ok()) {
    answered.status = opened->status;
    answered.bytes = opened->body.size();
    answered.retry_after = opened->retry_after;
  }
  Record(request, answered);
  if (!opened.ok()) return opened.error().Context(Name(request));
  if (opened->status != 200 || opened->stream == nullptr) {
    return Refused(request, opened->status, opened->body, opened->retry_after);
  }
  return LineStream(std::move(opened->stream));
}

Result<std::string> Client::Create(const Resource& resource, std::string_view ns, std::string body,
                                   const std::stop_token& stop) {
  return Answer({.method = Method::kPost,
                 .target = resource.CollectionPath(ns),
                 .content_type = std::string(kJson),
                 .body = std::move(body)},
                stop);
}

Result<std::string> Client::Patch(const Resource& resource, const api::ObjectKey& key,
                                  const PatchOptions& options, std::string body,
                                  const std::stop_token& stop) {
  if (options.type == PatchType::kApply && options.field_manager.empty()) {
    return Error(Code::kInternal, "server-side apply without a field manager");
  }
  Target target(resource.ObjectPath(key, options.subresource));
  target.AddUnlessEmpty("fieldManager", options.field_manager);
  if (options.type == PatchType::kApply && options.force) target.Add("force", "true");
  return Answer({.method = Method::kPatch,
                 .target = target.Take(),
                 .content_type = std::string(ContentType(options.type)),
                 .body = std::move(body)},
                stop);
}

Result<void> Client::Delete(const Resource& resource, const api::ObjectKey& key,
                            const Preconditions& preconditions, const std::stop_token& stop) {
  auto answer =
      Answer({.method = Method::kDelete,
              .target = resource.ObjectPath(key),
              .content_type = std::string(kJson),
              .body = api::DeleteOptionsBody(preconditions.uid, preconditions.resource_version)},
             stop);
  if (answer.ok() || answer.error().code() == Code::kNotFound) return {};
  return answer.error();
}

}  // namespace dra::kube
