// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/fake_api_server.h"
#include "support/world.h"

namespace dra::test {

// A World whose cluster is a FakeApiServer of its own.
class FakeWorld final : public World {
 public:
  FakeApiServer& server() { return server_; }

 protected:
  kube::Transport& AdminLink() override { return server_; }
  kube::Transport& ProductLink() override { return server_; }
  std::string NewNamespace() override { return "ns"; }
  std::chrono::seconds Patience() const override { return std::chrono::seconds(10); }

 private:
  SystemClock clock_;
  FakeApiServer server_{clock_};
};

}  // namespace dra::test
