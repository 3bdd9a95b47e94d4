// SPDX-License-Identifier: Apache-2.0
//
// The parts of a resource.k8s.io/v1 ResourceClaimTemplate. What is copied into claims is kept as
// raw JSON text, so that fields of a newer API travel through untouched.
#pragma once

#include <string>

#include "api/meta.h"

namespace dra::api {

struct ResourceClaimTemplate {
  ObjectMeta meta;
  std::string labels_json;       // spec.metadata.labels as sent; empty when absent
  std::string annotations_json;  // spec.metadata.annotations as sent; empty when absent
  std::string spec_json;         // spec.spec as sent
  bool admin_access = false;     // some request in spec.spec asks for admin access
};

}  // namespace dra::api
