// SPDX-License-Identifier: Apache-2.0
#include "conformance/conformance.h"

#include <algorithm>
#include <cstdlib>

#include "kube/client.h"
#include "support/fake_world.h"
#include "support/real_world.h"

namespace dra::test {
namespace {

// Starts the real cluster when the first test asks for it, and ends it after the last.
class ClusterEnvironment final : public ::testing::Environment {
 public:
  // Null, and a failed test, if it cannot be started; that is tried once.
  RealCluster* Cluster() {
    if (!tried_) {
      tried_ = true;
      auto cluster = RealCluster::Start(std::string(DRA_SOURCE_DIR) + "/test/controlplane/cluster",
                                        std::string(DRA_SOURCE_DIR) + "/manifests");
      if (cluster.ok()) {
        cluster_ = *std::move(cluster);
      } else {
        failure_ = cluster.error().Describe();
      }
    }
    if (cluster_ == nullptr) ADD_FAILURE() << "no real cluster: " << failure_;
    return cluster_.get();
  }

  void TearDown() override { cluster_.reset(); }

 private:
  bool tried_ = false;
  std::unique_ptr<RealCluster> cluster_;
  std::string failure_;
};

ClusterEnvironment* environment = nullptr;  // gtest owns it

bool WithoutCluster() {
  const char* value = std::getenv("DRA_WITHOUT_CLUSTER");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

void Conformance::SetUp() {
  if (GetParam() == WorldKind::kFake) {
    world_ = std::make_unique<FakeWorld>();
  } else if (WithoutCluster()) {
    GTEST_SKIP() << "DRA_WITHOUT_CLUSTER=1: not compared with a real API server";
  } else {
    RealCluster* cluster = environment->Cluster();
    ASSERT_NE(cluster, nullptr);
    world_ = std::make_unique<RealWorld>(*cluster);
  }
  world_->Begin();
}

void Conformance::TearDown() {
  if (world_ != nullptr) world_->Finish();
}

std::string ClaimNameOf(const Json& pod, const std::string& entry) {
  for (const Json& status : At(pod, {"status", "resourceClaimStatuses"})) {
    if (TextAt(status, {"name"}) == entry) return TextAt(status, {"resourceClaimName"});
  }
  return "";
}

std::vector<std::string> ConsumersOf(const Json& claim) {
  std::vector<std::string> names;
  for (const Json& consumer : At(claim, {"status", "reservedFor"})) {
    names.push_back(TextAt(consumer, {"name"}));
  }
  return names;
}

bool IsAllocated(const Json& claim) { return !At(claim, {"status", "allocation"}).is_null(); }

bool HasFinalizer(const Json& object, std::string_view finalizer) {
  const Json& finalizers = At(object, {"metadata", "finalizers"});
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

std::string UidOf(const Json& object) { return MetaField(object, "uid"); }
std::string VersionOf(const Json& object) { return MetaField(object, "resourceVersion"); }

EventReader::EventReader(World& world, const kube::Resource& resource, const std::string& query)
    : world_(world) {
  auto stream = world.Watch(resource, query);
  if (stream == nullptr) return;
  thread_ = std::jthread([this, bytes = std::move(stream)](const std::stop_token& stop) mutable {
    kube::LineStream lines(std::move(bytes));
    while (true) {
      const auto line = lines.Next(stop);
      MutexLock lock(mutex_);
      if (!line.ok() || !line->has_value()) {
        ended_ = true;
        return;
      }
      events_.push_back(Json::parse(**line, nullptr, false));
    }
  });
}

std::vector<Json> EventReader::Events() const {
  MutexLock lock(mutex_);
  return events_;
}

bool EventReader::Await(std::size_t count) {
  return world_.Await("the watch shows " + std::to_string(count) + " events",
                      [&] { return Events().size() >= count; });
}

bool EventReader::AwaitEnd() {
  return world_.Await("the watch ends", [&] {
    MutexLock lock(mutex_);
    return ended_;
  });
}

std::vector<std::string> EventReader::Summary() const {
  std::vector<std::string> texts;
  for (const Json& event : Events()) {
    const std::string type = TextAt(event, {"type"});
    const std::string name = TextAt(event, {"object", "metadata", "name"});
    texts.push_back(name.empty() ? type : type + " " + name);
  }
  return texts;
}

}  // namespace dra::test

int main(int argc, char** argv) {
  dra::kube::CpprestTransport::PrepareProcess();
  ::testing::InitGoogleTest(&argc, argv);
  dra::test::environment = new dra::test::ClusterEnvironment;
  ::testing::AddGlobalTestEnvironment(dra::test::environment);
  return RUN_ALL_TESTS();
}
