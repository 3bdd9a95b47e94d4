// SPDX-License-Identifier: Apache-2.0
#include "app/options.h"

#include <CLI/CLI.hpp>

#include "app/controller_names.h"
#include "app/version.h"

namespace dra::app {
namespace {

constexpr const char* kAbout =
    "Owns the life of ResourceClaims (Dynamic Resource Allocation) in a Kubernetes cluster:\n"
    "generates claims from templates for each Pod, keeps reservations right, deallocates and\n"
    "deletes what is done. It replaces the resourceclaim-controller of kube-controller-manager,\n"
    "which must then run with --controllers=*,-resourceclaim-controller.\n";

constexpr const char* kRunFooter =
    "\nExamples:\n"
    "  # Look at a cluster without touching it; metrics on http://127.0.0.1:8080/metrics\n"
    "  dra-claim-controller run --kubeconfig=$HOME/.kube/config\n"
    "  # Do the work (kube-controller-manager's own controller must be off)\n"
    "  dra-claim-controller run --kubeconfig=F --lifecycle=serve "
    "--metrics-bind-address=127.0.0.1:9090\n";

struct Raw {
  RunOptions run;
  std::string lifecycle = "observe";
  std::string controllers = "*";
  std::string feature_gates;
  std::string logging_format = "text";
  bool leader_elect = false;
};

void AddRunFlags(CLI::App& run, Raw& raw) {
  run.add_option("--kubeconfig", raw.run.kubeconfig,
                 "Path of a kubeconfig file. Default: the service account of the pod this runs in");
  run.add_option("--context", raw.run.context,
                 "Context of the kubeconfig. Default: its current context");
  run.add_option(
         "--lifecycle", raw.lifecycle,
         "serve: generate, reserve, release and delete claims. observe: compute everything, "
         "write nothing. auto: refused, not available in this version")
      ->check(CLI::IsMember({"serve", "observe", "auto"}))
      ->capture_default_str();
  run.add_option(
         "--controllers", raw.controllers,
         "Controllers to run: '*' for all, 'name' to switch one on, '-name' to switch it off")
      ->capture_default_str();
  run.add_option("--concurrent-resourceclaim-syncs", raw.run.claim_workers,
                 "Pods and claims that are worked on at the same time")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  run.add_option("--kube-api-qps", raw.run.qps,
                 "Claim writes per second; 0 adapts to what the API server can take")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  run.add_option("--kube-api-burst", raw.run.burst,
                 "Burst of claim writes above --kube-api-qps, when that is set")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  run.add_option("--leader-elect", raw.leader_elect,
                 "Must be false: this version has no leader election, so run one replica only")
      ->capture_default_str();
  run.add_option("--metrics-bind-address", raw.run.metrics_bind_address,
                 "host:port for /metrics, /healthz, /livez and /readyz")
      ->capture_default_str();
  run.add_option("--feature-gates", raw.feature_gates,
                 "Name=true|false,...: the cluster's gates; unknown ones are a warning");
  run.add_option("-v,--v", raw.run.log.verbosity,
                 "Verbosity: 0 quiet, 2 operations, 4 decisions, 6 everything")
      ->check(CLI::Range(0, 10))
      ->capture_default_str();
  run.add_option("--logging-format", raw.logging_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  run.footer(kRunFooter);
}

Exit Wrong(const std::string& what) {
  return {2, "dra-claim-controller: " + what +
                 "\nRun 'dra-claim-controller run --help' for the flags.\n"};
}

std::variant<RunOptions, Exit> Check(Raw raw) {
  if (raw.lifecycle == "auto") {
    return Wrong(
        "--lifecycle=auto is not available in this version; choose serve if "
        "kube-controller-manager runs "
        "with --controllers=*,-resourceclaim-controller, else observe");
  }
  if (raw.leader_elect) {
    return Wrong(
        "--leader-elect=true is not available in this version; run one replica with "
        "--leader-elect=false");
  }
  raw.run.lifecycle = raw.lifecycle == "serve" ? Lifecycle::kServe : Lifecycle::kObserve;
  raw.run.log.format = raw.logging_format == "json" ? log::Format::kJson : log::Format::kText;
  const auto controllers = SelectControllers(raw.controllers);
  if (!controllers.ok()) return Wrong(controllers.error().message());
  raw.run.claim_controller = controllers->contains(std::string(kClaimControllerName));
  const auto unknown = UnknownGates(raw.feature_gates);
  if (!unknown.ok()) return Wrong(unknown.error().message());
  raw.run.unknown_gates.assign(unknown->begin(), unknown->end());
  return std::move(raw.run);
}

}  // namespace

std::variant<RunOptions, Exit> ParseCommandLine(int argc, const char* const* argv) {
  CLI::App app(kAbout, "dra-claim-controller");
  app.require_subcommand(1);
  Raw raw;
  CLI::App* run = app.add_subcommand("run", "Run the controller until SIGTERM or SIGINT");
  AddRunFlags(*run, raw);
  CLI::App* version = app.add_subcommand("version", "Print the version");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    // The help that was asked for: of the subcommand, if one was named.
    return Exit{0, run->parsed() ? run->help() : app.help()};
  } catch (const CLI::ParseError& error) {
    return Wrong(error.what());
  }
  if (version->parsed()) return Exit{0, std::string(kVersion) + "\n"};
  return Check(std::move(raw));
}

}  // namespace dra::app
