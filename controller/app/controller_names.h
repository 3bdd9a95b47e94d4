// SPDX-License-Identifier: Apache-2.0
//
// --controllers in kube-controller-manager's syntax: '*' for all that are on by default, 'name' to
// switch one on, '-name' to switch it off; the last word on a name wins over '*'.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dra::app {

inline constexpr std::string_view kClaimControllerName = "resourceclaim-controller";

// The canonical names of the controllers to run. kInvalid names the word that is wrong and the
// known ones.
Result<std::set<std::string>> SelectControllers(std::string_view list);

// --feature-gates "Name=true,Other=false": kInvalid on bad syntax. Returns the names that this
// program does not know, so that a cluster's own gate list can be passed as it is.
Result<std::set<std::string>> UnknownGates(std::string_view list);

}  // namespace dra::app
