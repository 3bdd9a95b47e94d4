// SPDX-License-Identifier: Apache-2.0
#include "support/recording_transport.h"

#include <array>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "support/builders.h"
#include "support/fake_api_server.h"

namespace dra::test {
namespace {

const std::string kClaims = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims";

class RecordingTransportTest : public ::testing::Test {
 protected:
  kube::Response Post(const Json& object, const std::string& target = kClaims) {
    kube::Request request;
    request.method = kube::Method::kPost;
    request.target = target;
    request.content_type = "application/json";
    request.body = object.dump();
    auto answer = link_.Send(request, {});
    return answer.ok() ? *answer : kube::Response{};
  }

  SystemClock clock_;
  FakeApiServer server_{clock_};
  RecordingTransport link_{server_};
};

TEST_F(RecordingTransportTest, WritesAreKeptWithTheVersionThatTheyMade) {
  EXPECT_EQ(Post(ClaimBuilder("ns", "c")).status, 201);
  EXPECT_EQ(Post(ClaimBuilder("ns", "c")).status, 409);
  kube::Request read;
  read.target = kClaims;
  EXPECT_TRUE(link_.Send(read, {}).ok());
  const auto writes = link_.Writes();
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].resource_version,
            MetaField(server_.Find(kube::kResourceClaims, {"ns", "c"}), "resourceVersion"));
  EXPECT_EQ(writes[1].resource_version, "");
}

TEST_F(RecordingTransportTest, APlannedAnswerDoesNotReachTheServer) {
  link_.AnswerNext(kube::Method::kPost, "/resourceclaims", {503, "{}", {}});
  EXPECT_EQ(Post(ClaimBuilder("ns", "c")).status, 503);
  EXPECT_TRUE(server_.Objects(kube::kResourceClaims).empty());
  EXPECT_EQ(Post(ClaimBuilder("ns", "c")).status, 201);
}

TEST_F(RecordingTransportTest, AHeldWatchDeliversAfterItsRelease) {
  kube::Request request;
  request.target = kClaims + "?watch=true";
  link_.HoldWatch(kube::kResourceClaims);
  const auto stream = std::move(link_.Open(request, {})->stream);
  server_.Put(ClaimBuilder("ns", "c"));
  std::atomic<bool> released = false;
  std::atomic<bool> early = false;
  std::jthread reader([&] {
    std::array<char, 4096> buffer{};
    const auto count = stream->Read(buffer.data(), buffer.size(), {});
    early = !released;
    EXPECT_GT(*count, 0U);
  });
  clock_.SleepFor(std::chrono::milliseconds(5), {});  // a reader that does not wait is through
  released = true;
  link_.ReleaseWatch(kube::kResourceClaims);
  reader.join();
  EXPECT_FALSE(early);
}

TEST_F(RecordingTransportTest, AHeldWatchCanBeStopped) {
  kube::Request request;
  request.target = kClaims + "?watch=true";
  server_.Put(ClaimBuilder("ns", "c"));
  link_.HoldWatch(kube::kResourceClaims);
  const auto stream = std::move(link_.Open(request, {})->stream);
  std::stop_source stop;
  stop.request_stop();
  std::array<char, 64> buffer{};
  EXPECT_FALSE(stream->Read(buffer.data(), buffer.size(), stop.get_token()).ok());
}

}  // namespace
}  // namespace dra::test
