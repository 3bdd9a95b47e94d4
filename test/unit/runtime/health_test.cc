// SPDX-License-Identifier: Apache-2.0
#include "runtime/health.h"

#include <gtest/gtest.h>

#include "runtime/http_server.h"

namespace dra::runtime {
namespace {

HealthChecks Checks() {
  HealthChecks checks;
  checks.AddReady("good", [] { return Result<void>(); });
  checks.AddReady("bad", []() -> Result<void> { return Error(Code::kUnavailable, "not yet"); });
  checks.AddLive("good", [] { return Result<void>(); });
  return checks;
}

TEST(Health, FailedCheckIsNamedWithItsReason) {
  const auto answer = Checks().Ask(Probe::kReady, false);
  EXPECT_FALSE(answer.ok);
  EXPECT_EQ(answer.text, "[+]good ok\n[-]bad failed: not yet\nreadyz check failed\n");
}

TEST(Health, GoodAnswerIsShortUnlessVerbose) {
  EXPECT_EQ(Checks().Ask(Probe::kLive, false).text, "ok");
  EXPECT_EQ(Checks().Ask(Probe::kLive, true).text, "[+]good ok\nlivez check passed\n");
}

TEST(Health, OneCheckCanBeAskedByName) {
  EXPECT_TRUE(Checks().AskOne(Probe::kReady, "good").ok);
  EXPECT_FALSE(Checks().AskOne(Probe::kReady, "bad").ok);
  EXPECT_NE(Checks().AskOne(Probe::kReady, "ugly").text.find("good, bad"), std::string::npos);
}

TEST(HttpServer, AddressErrorsNameTheAddress) {
  HttpServer server([](const HttpQuestion&) { return HttpAnswer{}; });
  for (const char* address : {"", "nonsense", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:x"}) {
    const auto started = server.Start(address);
    ASSERT_FALSE(started.ok()) << address;
    EXPECT_NE(started.error().message().find(address), std::string::npos);
  }
}

TEST(HttpServer, TakenPortIsAnErrorThatNamesTheFlag) {
  HttpServer first([](const HttpQuestion&) { return HttpAnswer{}; });
  ASSERT_TRUE(first.Start("127.0.0.1:0").ok());
  HttpServer second([](const HttpQuestion&) { return HttpAnswer{}; });
  const auto started = second.Start("127.0.0.1:" + std::to_string(first.port()));
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().message().find("--metrics-bind-address"), std::string::npos);
}

}  // namespace
}  // namespace dra::runtime
