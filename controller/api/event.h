// SPDX-License-Identifier: Apache-2.0
//
// A core/v1 Event that we write about an object: what `kubectl describe` shows below it.
#pragma once

#include <string>

#include "base/clock.h"

namespace dra::api {

// The server accepts more in core/v1, but events.k8s.io, through which the same object can be read
// and written, does not.
inline constexpr std::size_t kMaxEventMessage = 1024;

struct ObjectReference {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  std::string uid;
  std::string resource_version;  // empty: any

  bool operator==(const ObjectReference&) const = default;
};

// `ns` must be that of the object it is about ("default" for cluster-scoped ones), else the server
// refuses the event.
struct EventData {
  std::string ns;
  std::string name;
  ObjectReference about;
  std::string type = "Normal";  // or "Warning"
  std::string reason;           // CamelCase, for machines
  std::string message;          // for people; cut at kMaxEventMessage bytes
  int count = 1;
  Clock::Wall first{};  // sent in whole seconds
  Clock::Wall last{};
  std::string component;  // who reports: "resource_claim"
  std::string instance;   // which process of it: the pod's name
};

}  // namespace dra::api
