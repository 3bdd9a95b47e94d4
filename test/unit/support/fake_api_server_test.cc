// SPDX-License-Identifier: Apache-2.0
//
// The hooks of the fake API server. What it has of the API is tested against the real one in
// test/conformance.
#include "support/fake_api_server.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "support/builders.h"
#include "support/fake_clock.h"

namespace dra::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kClaims = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims";

class FakeApiServerTest : public ::testing::Test {
 protected:
  Result<kube::Response> Send(kube::Method method, const std::string& target,
                              const std::string& body = "") {
    kube::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.content_type =
        method == kube::Method::kPatch ? "application/merge-patch+json" : "application/json";
    return server_.Send(request, {});
  }

  std::unique_ptr<kube::ByteStream> Watch(const std::string& query = "") {
    kube::Request request;
    request.target = std::string(kClaims) + "?watch=true" + query;
    auto response = server_.Open(request, {});
    return response.ok() ? std::move(response->stream) : nullptr;
  }

  // What the stream has to say at the moment.
  static Result<std::string> Read(kube::ByteStream& stream) {
    std::array<char, 65536> buffer{};
    auto count = stream.Read(buffer.data(), buffer.size(), {});
    if (!count.ok()) return count.error();
    return std::string(buffer.data(), *count);
  }

  static std::string Name(const Json& object) { return MetaField(object, "name"); }

  FakeClock clock_;
  FakeApiServer server_{clock_};
};

TEST_F(FakeApiServerTest, PutStoresWhatNoClientCouldWrite) {
  const Json claim = ClaimBuilder("ns", "c").Allocated().Reserved("p", "u1").Deleting();
  const Json stored = server_.Put(claim);
  EXPECT_EQ(stored["status"], claim["status"]);
  EXPECT_FALSE(MetaField(stored, "uid").empty());
  EXPECT_EQ(server_.Find(kube::kResourceClaims, {"ns", "c"}), stored);
}

TEST_F(FakeApiServerTest, PutOfAnExistingNameKeepsTheUid) {
  const Json first = server_.Put(ClaimBuilder("ns", "c"));
  const Json second = server_.Put(ClaimBuilder("ns", "c").Label("a", "b"));
  EXPECT_EQ(MetaField(first, "uid"), MetaField(second, "uid"));
  EXPECT_NE(MetaField(first, "resourceVersion"), MetaField(second, "resourceVersion"));
}

TEST_F(FakeApiServerTest, PutUnderAnotherUidShowsTheEndOfTheOldObject) {
  server_.Put(ClaimBuilder("ns", "c").Uid("u1"));
  server_.Put(ClaimBuilder("ns", "c").Uid("u2"));
  const auto changes = server_.Changes(kube::kResourceClaims);
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[1].type, Change::Type::kDeleted);
  EXPECT_EQ(changes[2].type, Change::Type::kAdded);
}

TEST_F(FakeApiServerTest, RemoveIgnoresFinalizers) {
  server_.Put(ClaimBuilder("ns", "c").Protected());
  EXPECT_EQ(Name(server_.Remove(kube::kResourceClaims, {"ns", "c"})), "c");
  EXPECT_TRUE(server_.Find(kube::kResourceClaims, {"ns", "c"}).is_null());
  EXPECT_TRUE(server_.Remove(kube::kResourceClaims, {"ns", "c"}).is_null());
}

TEST_F(FakeApiServerTest, APlannedAnswerIsGivenOnceToTheRequestsThatItIsMeantFor) {
  server_.Put(ClaimBuilder("ns", "c"));
  server_.FailNext({.method = kube::Method::kDelete}, Fault::Answer(503, "ServiceUnavailable"));
  EXPECT_EQ(Send(kube::Method::kGet, std::string(kClaims) + "/c")->status, 200);
  EXPECT_EQ(Send(kube::Method::kDelete, std::string(kClaims) + "/c")->status, 503);
  EXPECT_EQ(Send(kube::Method::kDelete, std::string(kClaims) + "/c")->status, 200);
}

TEST_F(FakeApiServerTest, APlannedThrottleCarriesRetryAfter) {
  server_.FailNext({}, Fault::Throttle(milliseconds(7000)));
  const auto answer = Send(kube::Method::kGet, kClaims);
  EXPECT_EQ(answer->status, 429);
  EXPECT_EQ(answer->retry_after, milliseconds(7000));
  EXPECT_EQ(Json::parse(answer->body)["details"]["retryAfterSeconds"], 7);
}

TEST_F(FakeApiServerTest, ARefusedRequestWasCertainlyNotApplied) {
  server_.FailNext({}, Fault::Of(Fault::Kind::kRefuse));
  const auto answer = Send(kube::Method::kPost, kClaims, ClaimBuilder("ns", "c").Text());
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kUnavailable);
  EXPECT_FALSE(answer.error().maybe_applied);
  EXPECT_TRUE(server_.Objects(kube::kResourceClaims).empty());
}

TEST_F(FakeApiServerTest, ACutAfterTheCommitHasDoneItsWork) {
  server_.FailNext({}, Fault::Of(Fault::Kind::kCutAfterCommit));
  const auto answer = Send(kube::Method::kPost, kClaims, ClaimBuilder("ns", "c").Text());
  ASSERT_FALSE(answer.ok());
  EXPECT_TRUE(answer.error().maybe_applied);
  EXPECT_EQ(server_.Objects(kube::kResourceClaims).size(), 1U);
}

TEST_F(FakeApiServerTest, ACutBeforeTheReplyHasDoneNothing) {
  server_.FailNext({}, Fault::Of(Fault::Kind::kCutBeforeReply));
  const auto answer = Send(kube::Method::kPost, kClaims, ClaimBuilder("ns", "c").Text());
  ASSERT_FALSE(answer.ok());
  EXPECT_TRUE(answer.error().maybe_applied);
  EXPECT_TRUE(server_.Objects(kube::kResourceClaims).empty());
}

TEST_F(FakeApiServerTest, AHangingRequestEndsAtItsDeadline) {
  server_.FailNext({}, Fault::Of(Fault::Kind::kHang));
  std::optional<Code> code;
  std::jthread caller([&] { code = Send(kube::Method::kGet, kClaims).error().code(); });
  ASSERT_TRUE(clock_.AwaitWaiters(1));
  clock_.Advance(std::chrono::seconds(31));
  caller.join();
  EXPECT_EQ(code, Code::kTimeout);
}

TEST_F(FakeApiServerTest, AnActionRunsBeforeTheRequestThatItWaitsFor) {
  const Json claim = server_.Put(ClaimBuilder("ns", "c"));
  server_.BeforeNext({.method = kube::Method::kPatch},
                     [&] { server_.Put(ClaimBuilder("ns", "c").Label("other", "writer")); });
  const Json patch = {
      {"metadata",
       {{"resourceVersion", MetaField(claim, "resourceVersion")}, {"labels", {{"a", "b"}}}}}};
  EXPECT_EQ(Send(kube::Method::kPatch, std::string(kClaims) + "/c", patch.dump())->status, 409);
}

TEST_F(FakeApiServerTest, AHeldWatchLosesNothing) {
  const auto stream = Watch();
  server_.HoldWatch(kube::kResourceClaims);
  server_.Put(ClaimBuilder("ns", "c"));
  std::atomic<bool> read = false;
  std::string text;
  std::jthread reader([&] {
    text = *Read(*stream);
    read = true;
  });
  EXPECT_FALSE(read);
  server_.ReleaseWatch(kube::kResourceClaims);
  reader.join();
  EXPECT_NE(text.find("ADDED"), std::string::npos);
}

TEST_F(FakeApiServerTest, ACutWatchEndsRegularlyUnlessAnErrorIsGiven) {
  const auto regular = Watch();
  server_.CutWatches(kube::kResourceClaims);
  EXPECT_EQ(*Read(*regular), "");
  const auto broken = Watch();
  server_.CutWatches(kube::kResourceClaims, Error(Code::kUnavailable, "reset"));
  const auto answer = Read(*broken);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kUnavailable);
}

TEST_F(FakeApiServerTest, AReaderCanBeStopped) {
  const auto stream = Watch();
  std::stop_source stop;
  stop.request_stop();
  std::array<char, 8> buffer{};
  const auto answer = stream->Read(buffer.data(), buffer.size(), stop.get_token());
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), Code::kCancelled);
}

TEST_F(FakeApiServerTest, BookmarksComeOnDemandAndOnlyToThoseWhoAsked) {
  const auto asked = Watch("&allowWatchBookmarks=true");
  const auto plain = Watch();
  server_.SendBookmarks();
  server_.Put(ClaimBuilder("ns", "c"));
  EXPECT_NE(Read(*asked)->find("BOOKMARK"), std::string::npos);
  EXPECT_EQ(Read(*plain)->find("BOOKMARK"), std::string::npos);
}

TEST_F(FakeApiServerTest, VersionsFromBeforeTheCompactionAreGone) {
  const Json claim = server_.Put(ClaimBuilder("ns", "c"));
  server_.Put(ClaimBuilder("ns", "d"));
  server_.Compact();
  const auto stream = Watch("&resourceVersion=" + MetaField(claim, "resourceVersion"));
  const Json event = Json::parse(*Read(*stream));
  EXPECT_EQ(event["type"], "ERROR");
  EXPECT_EQ(event["object"]["code"], 410);
  EXPECT_EQ(*Read(*stream), "");
}

TEST_F(FakeApiServerTest, AWatchDoesNotNeedTheServerToLive) {
  auto server = std::make_unique<FakeApiServer>(clock_);
  kube::Request request;
  request.target = std::string(kClaims) + "?watch=true";
  server->Put(ClaimBuilder("ns", "c"));
  const auto stream = std::move(server->Open(request, {})->stream);
  server.reset();
  EXPECT_NE(Read(*stream)->find("ADDED"), std::string::npos);
}

TEST_F(FakeApiServerTest, AllRequestsAreLoggedAndWritesCanBeToldApart) {
  EXPECT_TRUE(Send(kube::Method::kGet, std::string(kClaims) + "?limit=5").ok());
  EXPECT_TRUE(Send(kube::Method::kPost, kClaims, ClaimBuilder("ns", "c").Text()).ok());
  const auto requests = server_.Requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].query.at("limit"), "5");
  ASSERT_EQ(server_.Writes().size(), 1U);
  EXPECT_EQ(server_.Writes()[0].path, kClaims);
  EXPECT_EQ(server_.Writes()[0].status, 201);
}

TEST_F(FakeApiServerTest, NonsenseIsAnsweredAndNotFatal) {
  EXPECT_EQ(Send(kube::Method::kGet, "/")->status, 404);
  EXPECT_EQ(Send(kube::Method::kGet, "/apis/x/v1/things")->status, 404);
  EXPECT_EQ(Send(kube::Method::kGet, std::string(kClaims) + "/%zz/a/b/c?&=&")->status, 404);
  EXPECT_EQ(Send(kube::Method::kPost, kClaims, "{")->status, 400);
  EXPECT_EQ(Send(kube::Method::kPost, kClaims, R"({"kind":1})")->status, 400);
  server_.Put(ClaimBuilder("ns", "c"));
  const std::string path = std::string(kClaims) + "/c";
  EXPECT_EQ(
      Send(kube::Method::kPatch, path, R"({"metadata":{"finalizers":{"a":1}}})")->status / 100, 4);
  EXPECT_EQ(Send(kube::Method::kPatch, path + "/status", R"({"status":[1]})")->status / 100, 4);
}

}  // namespace
}  // namespace dra::test
