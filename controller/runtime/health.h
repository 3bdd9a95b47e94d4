// SPDX-License-Identifier: Apache-2.0
//
// HealthChecks: named answers to "is this process alive" and "is it ready to work", and their text
// form, as kube-apiserver gives it, but with the reason of a failure, cut to one line of at most
// 256 bytes. Thread-safe; checks are added before the first question and must not block. A check
// that throws has failed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dra::runtime {

enum class Probe { kLive, kReady };

class HealthChecks {
 public:
  using Check = std::function<Result<void>()>;

  // Live checks fail only for what a restart can cure: never because the API server is down.
  void AddLive(std::string name, Check check);
  void AddReady(std::string name, Check check);

  struct Answer {
    bool ok = true;
    std::string text;  // "ok", or a line per check when `verbose` is asked for or one fails
  };
  Answer Ask(Probe probe, bool verbose) const;
  // One check by name; not ok with the known names if there is none of that name.
  Answer AskOne(Probe probe, std::string_view name) const;

 private:
  struct Named {
    std::string name;
    Check check;
  };
  const std::vector<Named>& Of(Probe probe) const { return probe == Probe::kLive ? live_ : ready_; }

  std::vector<Named> live_;
  std::vector<Named> ready_;
};

}  // namespace dra::runtime
