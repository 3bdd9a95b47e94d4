// SPDX-License-Identifier: Apache-2.0
#include "support/fake_status.h"

#include "base/strings.h"

namespace dra::test {
namespace {

Error Make(int http_status, std::string_view reason, Code code, std::string message) {
  Error error(code, std::move(message));
  error.http_status = http_status;
  error.reason = reason;
  return error;
}

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

Error BadRequest(std::string message) {
  return Make(400, "BadRequest", Code::kInvalid, std::move(message));
}

Error ForbiddenIn(std::string message, std::string cause) {
  Error error = Make(403, "Forbidden", Code::kForbidden, std::move(message));
  error.causes.push_back(std::move(cause) + "||");
  return error;
}

Error NotFound(std::string_view resource, std::string_view name) {
  return Make(404, "NotFound", Code::kNotFound,
              std::string(resource) + " " + Quoted(name) + " not found");
}

Error MethodNotAllowed(std::string_view method) {
  return Make(405, "MethodNotAllowed", Code::kInvalid,
              std::string(method) + " is not supported on this path");
}

Error AlreadyExists(std::string_view resource, std::string_view name) {
  return Make(409, "AlreadyExists", Code::kAlreadyExists,
              std::string(resource) + " " + Quoted(name) + " already exists");
}

Error Conflict(std::string message) {
  return Make(409, "Conflict", Code::kConflict, std::move(message));
}

Error Expired(std::string message) {
  return Make(410, "Expired", Code::kExpired, std::move(message));
}

Error UnsupportedMediaType(std::string_view type) {
  return Make(415, "UnsupportedMediaType", Code::kInvalid,
              "patches of type " + Quoted(type) + " are not supported");
}

Error TooLargeResourceVersion(std::string message) {
  Error error = Make(504, "Timeout", Code::kUnavailable, std::move(message));
  error.causes.push_back("ResourceVersionTooLarge||Too large resource version");
  error.retry_after = std::chrono::seconds(1);
  return error;
}

void InvalidFields::TooMany(std::string_view field, std::size_t limit) {
  Add("FieldValueTooMany", field, "must have at most " + std::to_string(limit) + " items");
}

void InvalidFields::Add(std::string_view reason, std::string_view field, std::string_view message) {
  causes_.push_back(Join({std::string(reason), std::string(field), std::string(message)}, "|"));
}

Error InvalidFields::ToError(std::string_view kind, std::string_view name) const {
  std::vector<std::string> parts;
  for (const std::string& cause : causes_) {
    const auto field = cause.find('|') + 1;
    const auto message = cause.find('|', field) + 1;
    parts.push_back(cause.substr(field, message - field - 1) + ": " + cause.substr(message));
  }
  Error error = Make(422, "Invalid", Code::kInvalid,
                     std::string(kind) + " " + Quoted(name) + " is invalid: " + Join(parts, ", "));
  error.causes = causes_;
  return error;
}

Json StatusBody(const Error& error, const StatusSubject& subject) {
  Json details = Json::object();
  if (!subject.name.empty()) details["name"] = subject.name;
  if (!subject.group.empty()) details["group"] = subject.group;
  if (!subject.kind.empty()) details["kind"] = subject.kind;
  for (const std::string& cause : error.causes) {
    const auto field = cause.find('|') + 1;
    const auto message = cause.find('|', field) + 1;
    Json item = {{"reason", cause.substr(0, field - 1)}, {"message", cause.substr(message)}};
    if (message - field > 1) item["field"] = cause.substr(field, message - field - 1);
    details["causes"].push_back(std::move(item));
  }
  if (error.retry_after.has_value()) {
    details["retryAfterSeconds"] =
        std::chrono::duration_cast<std::chrono::seconds>(*error.retry_after).count();
  }
  return {{"kind", "Status"},    {"apiVersion", "v1"},         {"metadata", Json::object()},
          {"status", "Failure"}, {"message", error.message()}, {"reason", error.reason},
          {"details", details},  {"code", error.http_status}};
}

}  // namespace dra::test
