// SPDX-License-Identifier: Apache-2.0
//
// The command line: one subcommand per job, flags under kube-controller-manager's names wherever it
// has one.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/log.h"

namespace dra::app {

enum class Lifecycle {
  kServe,    // generate, reserve, release, delete
  kObserve,  // compute the same, write nothing
};

// `dra-claim-controller run`
struct RunOptions {
  std::string kubeconfig;  // empty: the service account of the pod we run in
  std::string context;     // of the kubeconfig; empty: its current one
  Lifecycle lifecycle = Lifecycle::kObserve;
  std::string metrics_bind_address = "127.0.0.1:8080";
  double qps = 0;  // 0: adaptive
  int burst = 30;
  int claim_workers = 50;
  bool claim_controller = true;            // what --controllers came to
  std::vector<std::string> unknown_gates;  // told once, as a warning
  log::Options log;
};

// Print this and leave: help, version, or what is wrong with the command line.
struct Exit {
  int code = 0;
  std::string text;  // to stdout when code is 0, else to stderr
};

std::variant<RunOptions, Exit> ParseCommandLine(int argc, const char* const* argv);

}  // namespace dra::app
