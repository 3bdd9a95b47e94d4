// SPDX-License-Identifier: Apache-2.0
//
// How the fake API server says no: dra::Error values with the HTTP status and reason of a
// metav1.Status, and the body that they become. A cause is kept as "reason|field|message", because
// Error holds plain strings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace dra::test {

using Json = nlohmann::json;

Error BadRequest(std::string message);                      // 400
Error ForbiddenIn(std::string message, std::string cause);  // 403, cause "NamespaceTerminating"
Error NotFound(std::string_view resource, std::string_view name);
Error MethodNotAllowed(std::string_view method);  // 405
Error AlreadyExists(std::string_view resource, std::string_view name);
Error Conflict(std::string message);                 // 409
Error Expired(std::string message);                  // 410
Error UnsupportedMediaType(std::string_view type);   // 415
Error TooLargeResourceVersion(std::string message);  // 504, "come back in a second"

// 422 with every cause that was found.
class InvalidFields {
 public:
  void Required(std::string_view field) { Add("FieldValueRequired", field, "Required value"); }
  void Invalid(std::string_view field, std::string_view message) {
    Add("FieldValueInvalid", field, message);
  }
  void Duplicate(std::string_view field, std::string_view message) {
    Add("FieldValueDuplicate", field, message);
  }
  void Forbidden(std::string_view field, std::string_view message) {
    Add("FieldValueForbidden", field, message);
  }
  void TooMany(std::string_view field, std::size_t limit);

  bool empty() const { return causes_.empty(); }
  Error ToError(std::string_view kind, std::string_view name) const;

 private:
  void Add(std::string_view reason, std::string_view field, std::string_view message);

  std::vector<std::string> causes_;
};

// What the failure is about, for details{name,group,kind} of the Status.
struct StatusSubject {
  std::string group;
  std::string kind;
  std::string name;
};

Json StatusBody(const Error& error, const StatusSubject& subject);

}  // namespace dra::test
