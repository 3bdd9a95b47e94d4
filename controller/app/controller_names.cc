// SPDX-License-Identifier: Apache-2.0
#include "app/controller_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"

namespace dra::app {
namespace {

struct Known {
  std::string_view name;
  std::string_view alias;
  bool available;  // false: planned; switching it on by name is an error that says so
};

constexpr std::array kKnown{
    Known{kClaimControllerName, "resource-claim-controller", true},
    Known{"device-taint-eviction-controller", "", false},
    Known{"binding-policy", "", false},
    Known{"health-policy", "", false},
    Known{"diagnostics", "", false},
};

// Gates of Kubernetes 1.34 to 1.37 that have to do with DRA; see docs/operations.md.
constexpr std::array<std::string_view, 13> kGates{"DynamicResourceAllocation",
                                                  "DRAAdminAccess",
                                                  "DRAPrioritizedList",
                                                  "DRAResourceClaimDeviceStatus",
                                                  "DRADeviceTaints",
                                                  "DRADeviceTaintRules",
                                                  "DRAExtendedResource",
                                                  "DRADeviceBindingConditions",
                                                  "DRAConsumableCapacity",
                                                  "DRAPartitionableDevices",
                                                  "DRAResourceClaimGranularStatusAuthorization",
                                                  "DRAWorkloadResourceClaims",
                                                  "GenericWorkload"};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The non-empty words between commas.
std::vector<std::string_view> Words(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view word = Trim(list.substr(0, comma));
    if (!word.empty()) words.push_back(word);
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  return words;
}

std::string KnownNames() {
  std::vector<std::string> names;
  for (const Known& known : kKnown) names.emplace_back(known.name);
  return Join(names, ", ");
}

}  // namespace

Result<std::set<std::string>> SelectControllers(std::string_view list) {
  std::set<std::string> on;
  std::set<std::string> off;
  bool all = false;
  for (std::string_view word : Words(list)) {
    if (word == "*") {
      all = true;
      continue;
    }
    const bool negative = word.front() == '-';
    const std::string_view name = negative ? word.substr(1) : word;
    const auto* known = std::find_if(kKnown.begin(), kKnown.end(), [name](const Known& k) {
      return k.name == name || (!k.alias.empty() && k.alias == name);
    });
    if (known == kKnown.end()) {
      return Error(Code::kInvalid,
                   "--controllers: \"" + std::string(name) +
                       "\" is not a controller of this program; it has: " + KnownNames());
    }
    if (!negative && !known->available) {
      return Error(Code::kInvalid, "--controllers: " + std::string(known->name) +
                                       " is not available in this version");
    }
    (negative ? off : on).emplace(known->name);
  }
  for (const Known& known : kKnown) {
    if (all && known.available && !off.contains(std::string(known.name))) on.emplace(known.name);
  }
  return on;
}

Result<std::set<std::string>> UnknownGates(std::string_view list) {
  std::set<std::string> unknown;
  for (std::string_view word : Words(list)) {
    const std::size_t equals = word.find('=');
    const std::string_view name = Trim(word.substr(0, equals));
    const std::string_view value =
        equals == std::string_view::npos ? "" : Trim(word.substr(equals + 1));
    if (name.empty() || (value != "true" && value != "false")) {
      return Error(Code::kInvalid, "--feature-gates: \"" + std::string(word) +
                                       "\" must be Name=true or Name=false");
    }
    if (std::find(kGates.begin(), kGates.end(), name) == kGates.end()) unknown.emplace(name);
  }
  return unknown;
}

}  // namespace dra::app
