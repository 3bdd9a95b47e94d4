// SPDX-License-Identifier: Apache-2.0
#include "support/real_world.h"

#include <array>
#include <cstdio>

#include <unistd.h>

#include "kube/credentials.h"
#include "kube/kubeconfig.h"

namespace dra::test {
namespace {

constexpr const char* kServiceAccount = "dra-system/dra-claim-controller";

std::string Quoted(const std::string& text) { return "'" + text + "'"; }

// What the command prints. Its complaints go to our standard error.
Result<std::string> Shell(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return Error(Code::kInternal, "cannot run " + command);
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), count);
  }
  const int status = ::pclose(pipe);
  if (status != 0) {
    return Error(Code::kInternal,
                 command + " failed with status " + std::to_string(status) + ": " + text);
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<RealCluster>> RealCluster::Start(const std::string& program,
                                                        const std::string& manifests) {
  DRA_TRY(const std::string text,
          Shell(Quoted(program) + " up --json --components '' --owner-pid " +
                std::to_string(::getpid())));
  const Json description = Json::parse(text, nullptr, false);
  const std::string directory = TextAt(description, {"dir"});
  if (directory.empty()) return Error(Code::kMalformed, "cluster up printed " + text);
  std::unique_ptr<RealCluster> cluster(new RealCluster(program, directory));
  DRA_RETURN_IF_ERROR(cluster->Connect(TextAt(description, {"kubeconfig"}), manifests));
  return cluster;
}

RealCluster::~RealCluster() {
  product_.reset();
  admin_.reset();
  static_cast<void>(
      Run("down"));  // if it fails: the cluster also ends with its owner, this process
}

Result<std::string> RealCluster::Run(const std::string& arguments) const {
  const auto space = arguments.find(' ');
  return Shell(Quoted(program_) + " " + arguments.substr(0, space) + " --dir " +
               Quoted(directory_) + (space == std::string::npos ? "" : arguments.substr(space)));
}

Result<void> RealCluster::Connect(const std::string& admin_kubeconfig,
                                  const std::string& manifests) {
  DRA_TRY(const std::string applied, Run("kubectl -- apply -k " + Quoted(manifests)));
  // A restarted server remembers no version from before, so that tests can ask for one.
  DRA_TRY(const std::string restarted, Run("restart apiserver"));
  const std::string kubeconfig = directory_ + "/conformance.kubeconfig";
  DRA_TRY(const std::string written, Run(std::string("kubeconfig --service-account ") +
                                         kServiceAccount + " --out " + Quoted(kubeconfig)));
  DRA_TRY(admin_, Link(admin_kubeconfig));
  DRA_TRY(product_, Link(kubeconfig));
  return AwaitPermissions();
}

Result<std::unique_ptr<kube::CpprestTransport>> RealCluster::Link(const std::string& kubeconfig) {
  DRA_TRY(auto config, kube::LoadKubeconfig(kubeconfig));
  DRA_TRY(auto credentials, kube::Credentials::Load(std::move(config), clock_));
  return std::make_unique<kube::CpprestTransport>(std::move(credentials), clock_);
}

// The API server's authorizer learns of a new role from a watch of its own.
Result<void> RealCluster::AwaitPermissions() {
  kube::Request request;
  request.target = kube::kResourceClaims.CollectionPath("") + "?limit=1";
  constexpr int kAttempts = 500;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto response = product_->Send(request, {});
    if (response.ok() && response->status == 200) return {};
    clock_.SleepFor(std::chrono::milliseconds(20), {});
  }
  return Error(Code::kForbidden, "the product's ServiceAccount still may not list claims");
}

}  // namespace dra::test
