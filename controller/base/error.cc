// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace dra {

std::string_view ToString(Code code) {
  switch (code) {
    case Code::kCancelled:
      return "Cancelled";
    case Code::kTimeout:
      return "Timeout";
    case Code::kUnavailable:
      return "Unavailable";
    case Code::kThrottled:
      return "Throttled";
    case Code::kUnauthorized:
      return "Unauthorized";
    case Code::kForbidden:
      return "Forbidden";
    case Code::kNotFound:
      return "NotFound";
    case Code::kAlreadyExists:
      return "AlreadyExists";
    case Code::kConflict:
      return "Conflict";
    case Code::kExpired:
      return "Expired";
    case Code::kInvalid:
      return "Invalid";
    case Code::kUnsupported:
      return "Unsupported";
    case Code::kMalformed:
      return "Malformed";
    case Code::kInternal:
      return "Internal";
  }
  return "Internal";
}

Error Error::Context(std::string_view what) const {
  Error wrapped = *this;
  wrapped.message_ = std::string(what) + ": " + message_;
  return wrapped;
}

std::string Error::Describe() const { return std::string(ToString(code_)) + ": " + message_; }

}  // namespace dra
