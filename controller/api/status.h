// SPDX-License-Identifier: Apache-2.0
//
// What the API server says when it refuses: metav1.Status, turned into an Error. This is the only
// place that knows which HTTP status, reason or text means what.
#pragma once

#include <string_view>

#include "base/error.h"

namespace dra::api {

// `http_status` 0: the one inside the body counts (ERROR events of a watch). `is_create`: a 409
// that gives no reason means that the name is taken. Never fails: a body that is not a Status gives
// the code of the HTTP status and the start of the text, escaped.
//
// Beyond the plain mapping of base/error.h:
// - 422 about metadata.uid being immutable is kConflict: that is how a patch with the UID of an
//   object that was replaced since is refused (a stale resourceVersion is a 409).
// - 422 whose cause is missing permission on resourceclaims/binding or resourceclaims/driver
//   (granular status authorization, 1.36) is kForbidden. Other forbidden fields stay kInvalid.
// - 504, and any 5xx with reason Timeout, is kTimeout: the server gave up waiting, so a write may
//   have been applied. Other 5xx are kUnavailable. `maybe_applied` is the caller's, who knows the
//   method.
// - A webhook may deny with any status it likes; a denial by 401, 404, 409 or 410 says nothing
// about
//   the object and is kForbidden.
Error ErrorFromStatus(int http_status, std::string_view body, bool is_create);

// A create that a ResourceQuota does not allow now (403). Another object's end may allow it.
bool IsQuotaExceeded(const Error& error);

// A create in a namespace that is being deleted (403). Never to succeed in this namespace.
bool IsNamespaceTerminating(const Error& error);

// A read at a version that the server has not seen yet: after a restart from older data, or from a
// replica that lags. Comes with retry_after.
bool IsTooLargeResourceVersion(const Error& error);

// An admission webhook could not be asked (500). Passes when the webhook works again.
bool IsAdmissionWebhookFailure(const Error& error);

}  // namespace dra::api
