// SPDX-License-Identifier: Apache-2.0
#include "app/manager.h"

#include <array>
#include <optional>

#include <unistd.h>

#include "app/version.h"
#include "base/log.h"
#include "claims/claim_controller.h"
#include "kube/client.h"
#include "kube/cpprest_transport.h"
#include "kube/credentials.h"
#include "kube/flow_control.h"
#include "kube/kubeconfig.h"
#include "metrics/build_info.h"
#include "metrics/client_probe.h"
#include "metrics/event_probe.h"
#include "metrics/process_collector.h"
#include "metrics/registry.h"
#include "runtime/event_recorder.h"
#include "runtime/health.h"
#include "runtime/http_server.h"

namespace dra::app {
namespace {

// Events are told to people: five a second, and a burst for a batch that fails, are more than they
// read.
constexpr kube::FlowControl::Options kEventBudget{5, 50, 4, 1, 4};
// Watches count once each when they open; lookups are few. Wide, so that neither waits for the
// other.
constexpr kube::FlowControl::Options kReadBudget{0, 1, 32, 4, 64};
constexpr std::chrono::seconds kEventPatience{2};

std::string HostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

Result<kube::ClusterConfig> FindCluster(const RunOptions& options) {
  if (!options.kubeconfig.empty()) return kube::LoadKubeconfig(options.kubeconfig, options.context);
  auto config = kube::InClusterConfig();
  if (!config.ok()) return config.error().Context("no --kubeconfig given, and not inside a Pod");
  return config;
}

kube::FlowControl::Options WriteBudget(const RunOptions& options) {
  kube::FlowControl::Options budget;
  budget.qps = options.qps;
  budget.burst = options.burst;
  return budget;
}

// Everything that runs, in the order of construction; members below use those above.
class Program {
 public:
  Program(const RunOptions& options, std::shared_ptr<kube::Credentials> credentials)
      : options_(options),
        client_probe_(registry_, credentials->server().HostPort()),
        event_probe_(registry_),
        transport_(std::move(credentials), clock_,
                   {.user_agent = "dra-claim-controller/" + std::string(kVersion)}),
        read_flow_(kReadBudget, clock_),
        write_flow_(WriteBudget(options), clock_),
        event_flow_(kEventBudget, clock_),
        reads_(transport_, read_flow_, client_probe_, clock_),
        writes_(transport_, write_flow_, client_probe_, clock_),
        event_client_(transport_, event_flow_, client_probe_, clock_),
        recorder_(event_client_, clock_, event_probe_, {"resource_claim", HostName()}),
        server_([this](const runtime::HttpQuestion& question) { return Answer(question); }) {
    if (options.claim_controller) {
      claims_.emplace(claims::ClaimController::Dependencies{
          reads_,
          writes_,
          recorder_,
          clock_,
          registry_,
          {options.claim_workers, options.lifecycle == Lifecycle::kObserve}});
    }
    AddChecks();
    metrics::ExportProcess(registry_);
    metrics::ExportBuildInfo(registry_, {std::string(kVersion), std::string(kCommit),
                                         std::string(metrics::CompilerName())});
  }

  Result<void> Start() {
    DRA_RETURN_IF_ERROR(server_.Start(options_.metrics_bind_address));
    log::Info("serving metrics and health",
              {{"address", options_.metrics_bind_address}, {"port", server_.port()}});
    if (claims_) claims_->Start();
    return {};
  }

  // The server goes last: whoever watches the process sees it until the end.
  void Stop() {
    if (claims_) claims_->Stop();
    recorder_.Stop(kEventPatience);
    server_.Stop();
  }

 private:
  void AddChecks() {
    health_.AddLive("ping", [] { return Result<void>(); });
    health_.AddReady("ping", [] { return Result<void>(); });
    if (!claims_) return;
    health_.AddLive("resourceclaim-controller", [this] { return claims_->Alive(); });
    health_.AddReady("caches-synced", [this]() -> Result<void> {
      if (claims_->Synced()) return {};
      return Error(Code::kUnavailable,
                   "the first list of pods, claims or templates has not arrived");
    });
  }

  runtime::HttpAnswer Answer(const runtime::HttpQuestion& question) {
    if (question.path == "/metrics") {
      return {200, "text/plain; version=0.0.4; charset=utf-8", registry_.Serialize()};
    }
    if (question.path == "/healthz") return Health(runtime::Probe::kLive, question);
    if (question.path.starts_with("/livez")) return Sub(runtime::Probe::kLive, "/livez", question);
    if (question.path.starts_with("/readyz"))
      return Sub(runtime::Probe::kReady, "/readyz", question);
    return {404, "text/plain", "there are: /metrics /healthz /livez /readyz\n"};
  }

  runtime::HttpAnswer Health(runtime::Probe probe, const runtime::HttpQuestion& question) const {
    auto answer = health_.Ask(probe, question.verbose);
    return {answer.ok ? 200 : 500, "text/plain; charset=utf-8", std::move(answer.text)};
  }

  // "/livez" itself, or one check of it: "/livez/ping".
  runtime::HttpAnswer Sub(runtime::Probe probe, std::string_view root,
                          const runtime::HttpQuestion& question) const {
    const std::string_view rest = std::string_view(question.path).substr(root.size());
    if (rest.empty() || rest == "/") return Health(probe, question);
    if (rest.front() != '/') return {404, "text/plain", "not found\n"};
    auto answer = health_.AskOne(probe, rest.substr(1));
    return {answer.ok ? 200 : 500, "text/plain; charset=utf-8", std::move(answer.text)};
  }

  const RunOptions& options_;
  SystemClock clock_;
  metrics::Registry registry_;
  metrics::ClientProbe client_probe_;
  metrics::EventProbe event_probe_;
  kube::CpprestTransport transport_;
  kube::FlowControl read_flow_, write_flow_, event_flow_;
  kube::Client reads_, writes_, event_client_;
  runtime::AsyncEventRecorder recorder_;
  runtime::HealthChecks health_;
  std::optional<claims::ClaimController> claims_;
  runtime::HttpServer server_;
};

}  // namespace

Result<void> Run(const RunOptions& options, SignalWatcher& signals) {
  for (const std::string& gate : options.unknown_gates) {
    log::Warning("--feature-gates names a gate that this version does not know; ignored",
                 {{"gate", gate}});
  }
  SystemClock clock;
  DRA_TRY(auto config, FindCluster(options));
  const std::string origin = config.origin;
  auto credentials = kube::Credentials::Load(std::move(config), clock);
  if (!credentials.ok()) return credentials.error().Context(origin);
  log::Info("starting",
            {{"version", kVersion},
             {"cluster", origin},
             {"server", (*credentials)->server().HostPort()},
             {"lifecycle", options.lifecycle == Lifecycle::kServe ? "serve" : "observe"}});
  Program program(options, *std::move(credentials));
  DRA_RETURN_IF_ERROR(program.Start());
  signals.Wait();
  program.Stop();
  log::Info("stopped");
  return {};
}

}  // namespace dra::app
