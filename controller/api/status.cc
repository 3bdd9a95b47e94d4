// SPDX-License-Identifier: Apache-2.0
#include "api/status.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "base/strings.h"

namespace dra::api {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxBody = 1U << 20U;  // a larger one is not read as JSON
constexpr std::size_t kMaxText = 256;        // of a body that is not a Status
constexpr std::size_t kMaxMessage = 4096;    // webhooks may write as much as they like
constexpr std::size_t kMaxCauses = 16;
constexpr std::int64_t kMaxRetryAfterSeconds = 3600;

// apimachinery, pkg/apis/meta/v1/types.go: StatusReason and CauseType.
constexpr std::string_view kReasonAlreadyExists = "AlreadyExists";
constexpr std::string_view kReasonTimeout = "Timeout";
constexpr std::string_view kCauseForbidden = "FieldValueForbidden";
constexpr std::string_view kCauseTooLargeVersion = "ResourceVersionTooLarge";
constexpr std::string_view kCauseNamespaceTerminating = "NamespaceTerminating";
// pkg/registry/resource/utils.go: the two checks name the subresource that they stand for.
constexpr std::string_view kNeedsBinding = "requires resource=\"resourceclaims/binding\"";
constexpr std::string_view kNeedsDriver = "requires resource=\"resourceclaims/driver\"";

struct Cause {
  std::string reason;
  std::string field;
  std::string message;
};

struct Status {
  int code = 0;
  std::string reason;
  std::string message;
  std::vector<Cause> causes;
  std::optional<std::chrono::milliseconds> retry_after;
};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Printable ASCII as it is, everything else as \xNN.
std::string Escape(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    }
  }
  return out;
}

const json* Find(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string Text(const json& object, const char* key) {
  const json* value = Find(object, key);
  if (value == nullptr || !value->is_string()) return {};
  return Truncate(value->get_ref<const std::string&>(), kMaxMessage);
}

std::int64_t Number(const json& object, const char* key) {
  const json* value = Find(object, key);
  return value != nullptr && value->is_number_integer() ? value->get<std::int64_t>() : 0;
}

void ReadDetails(const json& details, Status& status) {
  const std::int64_t seconds = Number(details, "retryAfterSeconds");
  if (seconds > 0) {
    status.retry_after = std::chrono::seconds(std::min(seconds, kMaxRetryAfterSeconds));
  }
  const json* causes = Find(details, "causes");
  if (causes == nullptr || !causes->is_array()) return;
  for (const json& cause : *causes) {
    if (status.causes.size() == kMaxCauses) return;
    status.causes.push_back({Text(cause, "reason"), Text(cause, "field"), Text(cause, "message")});
  }
}

std::optional<Status> ParseStatus(std::string_view body) {
  if (body.size() > kMaxBody) return std::nullopt;
  const json parsed = json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (Text(parsed, "kind") != "Status") return std::nullopt;
  Status status;
  const std::int64_t code = Number(parsed, "code");
  if (code >= 100 && code <= 599) status.code = static_cast<int>(code);
  status.reason = Text(parsed, "reason");
  status.message = Text(parsed, "message");
  if (const json* details = Find(parsed, "details")) ReadDetails(*details, status);
  return status;
}

bool LacksStatusPermission(const Status& status) {
  const auto needs_permission = [](std::string_view text) {
    return Contains(text, kNeedsBinding) || Contains(text, kNeedsDriver);
  };
  if (status.causes.empty()) return needs_permission(status.message);
  return std::any_of(status.causes.begin(), status.causes.end(), [&](const Cause& cause) {
    return cause.reason == kCauseForbidden && needs_permission(cause.message);
  });
}

bool IsAnotherUid(const Status& status) {
  return std::any_of(status.causes.begin(), status.causes.end(), [](const Cause& cause) {
    return cause.field == "metadata.uid" && Contains(cause.message, "field is immutable");
  });
}

bool DeniedByWebhook(const Status& status) {
  return status.message.starts_with("admission webhook \"") &&
         Contains(status.message, "\" denied the request");
}

Code ClientErrorCode(int http_status, const Status& status, bool is_create) {
  switch (http_status) {
    case 401:
      return Code::kUnauthorized;
    case 403:
      return Code::kForbidden;
    case 404:
      return Code::kNotFound;
    case 409:
      // A create may also lose against another update of a quota; that one has reason Conflict.
      return status.reason == kReasonAlreadyExists || (is_create && status.reason.empty())
                 ? Code::kAlreadyExists
                 : Code::kConflict;
    case 410:
      return Code::kExpired;
    case 422:
      if (IsAnotherUid(status)) return Code::kConflict;
      return LacksStatusPermission(status) ? Code::kForbidden : Code::kInvalid;
    case 429:
      return Code::kThrottled;
    default:
      return Code::kInvalid;
  }
}

Code CodeFor(int http_status, const Status& status, bool is_create) {
  if (http_status >= 500 && http_status <= 599) {
    return http_status == 504 || status.reason == kReasonTimeout ? Code::kTimeout
                                                                 : Code::kUnavailable;
  }
  if (http_status < 400 || http_status > 599) return Code::kInternal;  // not an error answer at all
  const Code code = ClientErrorCode(http_status, status, is_create);
  const bool about_object = code == Code::kUnauthorized || code == Code::kNotFound ||
                            code == Code::kAlreadyExists || code == Code::kConflict ||
                            code == Code::kExpired;
  return about_object && DeniedByWebhook(status) ? Code::kForbidden : code;
}

bool HasCause(const Error& error, std::string_view reason) {
  return std::find(error.cause_reasons.begin(), error.cause_reasons.end(), reason) !=
         error.cause_reasons.end();
}

}  // namespace

Error ErrorFromStatus(int http_status, std::string_view body, bool is_create) {
  std::optional<Status> parsed = ParseStatus(body);
  if (!parsed) {
    parsed.emplace();
    parsed->message = Escape(body.substr(0, kMaxText));
  }
  Status& status = *parsed;
  if (http_status == 0) http_status = status.code;
  if (status.message.empty()) status.message = "HTTP status " + std::to_string(http_status);

  const Code code = CodeFor(http_status, status, is_create);
  Error error(code, std::move(status.message));
  error.http_status = http_status;
  error.reason = std::move(status.reason);
  error.retry_after = status.retry_after;
  for (Cause& cause : status.causes) {
    error.causes.push_back(cause.field.empty() ? cause.message
                                               : cause.field + ": " + cause.message);
    error.cause_reasons.push_back(std::move(cause.reason));
  }
  return error;
}

bool IsQuotaExceeded(const Error& error) {
  return error.http_status == 403 && Contains(error.message(), " is forbidden: exceeded quota: ");
}

bool IsNamespaceTerminating(const Error& error) {
  return error.http_status == 403 && HasCause(error, kCauseNamespaceTerminating);
}

bool IsTooLargeResourceVersion(const Error& error) {
  return error.reason == kReasonTimeout && HasCause(error, kCauseTooLargeVersion);
}

bool IsAdmissionWebhookFailure(const Error& error) {
  return error.http_status >= 500 && Contains(error.message(), "failed calling webhook \"");
}

}  // namespace dra::api
