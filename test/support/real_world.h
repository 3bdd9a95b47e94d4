// SPDX-License-Identifier: Apache-2.0
//
// A World on a real kube-apiserver. RealCluster is started once per test program, by
// test/controlplane/cluster, with etcd and the API server only: nothing else may write, so that
// every change in a test is the test's or the product's. The namespaces of finished tests are
// emptied, because the controller under test sees all of them.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "kube/cpprest_transport.h"
#include "support/world.h"

namespace dra::test {

class RealCluster {
 public:
  // `program`: test/controlplane/cluster; `manifests`: the directory to apply. Takes seconds, or
  // many minutes when the control plane must be compiled first.
  static Result<std::unique_ptr<RealCluster>> Start(const std::string& program,
                                                    const std::string& manifests);
  ~RealCluster();

  kube::Transport& admin() { return *admin_; }
  kube::Transport& product() { return *product_; }

  std::string NewNamespace() { return "conformance-" + std::to_string(++namespaces_); }

 private:
  RealCluster(std::string program, std::string directory)
      : program_(std::move(program)), directory_(std::move(directory)) {}

  Result<std::string> Run(const std::string& arguments) const;
  Result<void> Connect(const std::string& admin_kubeconfig, const std::string& manifests);
  Result<std::unique_ptr<kube::CpprestTransport>> Link(const std::string& kubeconfig);
  Result<void> AwaitPermissions();

  const std::string program_;
  const std::string directory_;
  SystemClock clock_;
  std::unique_ptr<kube::CpprestTransport> admin_;
  std::unique_ptr<kube::CpprestTransport> product_;  // by the token of the product's ServiceAccount
  int namespaces_ = 0;
};

class RealWorld final : public World {
 public:
  explicit RealWorld(RealCluster& cluster) : cluster_(cluster) {}

 protected:
  kube::Transport& AdminLink() override { return cluster_.admin(); }
  kube::Transport& ProductLink() override { return cluster_.product(); }
  std::string NewNamespace() override { return cluster_.NewNamespace(); }
  // The machine may be busy with other things.
  std::chrono::seconds Patience() const override { return std::chrono::seconds(30); }

 private:
  RealCluster& cluster_;
};

}  // namespace dra::test
