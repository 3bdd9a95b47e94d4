// SPDX-License-Identifier: Apache-2.0
#include "app/options.h"

#include <gtest/gtest.h>

#include "app/controller_names.h"

namespace dra::app {
namespace {

std::variant<RunOptions, Exit> Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "dra-claim-controller");
  return ParseCommandLine(static_cast<int>(words.size()), words.data());
}

TEST(Options, NothingIsWrittenUnlessAskedFor) {
  const auto parsed = Parse({"run"});
  ASSERT_TRUE(std::holds_alternative<RunOptions>(parsed));
  EXPECT_EQ(std::get<RunOptions>(parsed).lifecycle, Lifecycle::kObserve);
}

TEST(Options, ServeWithTheFlagsOfTheReadme) {
  const auto parsed = Parse({"run", "--kubeconfig=F", "--lifecycle=serve", "--leader-elect=false",
                             "--metrics-bind-address=127.0.0.1:9", "-v", "4"});
  ASSERT_TRUE(std::holds_alternative<RunOptions>(parsed));
  const auto& options = std::get<RunOptions>(parsed);
  EXPECT_EQ(options.kubeconfig, "F");
  EXPECT_EQ(options.lifecycle, Lifecycle::kServe);
  EXPECT_EQ(options.metrics_bind_address, "127.0.0.1:9");
  EXPECT_EQ(options.log.verbosity, 4);
}

TEST(Options, HelpIsNoError) {
  const auto parsed = Parse({"run", "--help"});
  ASSERT_TRUE(std::holds_alternative<Exit>(parsed));
  EXPECT_EQ(std::get<Exit>(parsed).code, 0);
  EXPECT_NE(std::get<Exit>(parsed).text.find("--lifecycle"), std::string::npos);
}

TEST(Options, WrongWordsAreErrorsThatNameThem) {
  for (const auto& words :
       std::vector<std::vector<const char*>>{{"run", "--no-such-flag"},
                                             {"run", "--lifecycle=maybe"},
                                             {"run", "--lifecycle=auto"},
                                             {"run", "--leader-elect=true"},
                                             {"run", "--controllers=nobody"},
                                             {"run", "--feature-gates=X"},
                                             {"run", "--concurrent-resourceclaim-syncs=0"},
                                             {}}) {
    const auto parsed = Parse(words);
    ASSERT_TRUE(std::holds_alternative<Exit>(parsed));
    EXPECT_EQ(std::get<Exit>(parsed).code, 2);
    EXPECT_FALSE(std::get<Exit>(parsed).text.empty());
  }
}

TEST(Options, ControllersFollowUpstreamsSyntax) {
  EXPECT_TRUE(SelectControllers("*")->contains("resourceclaim-controller"));
  EXPECT_TRUE(SelectControllers("resource-claim-controller")->contains("resourceclaim-controller"));
  EXPECT_TRUE(SelectControllers("*,-resourceclaim-controller")->empty());
  EXPECT_FALSE(SelectControllers("device-taint-eviction-controller").ok());
}

TEST(Options, UnknownGatesAreToldAndNotRefused) {
  const auto unknown = UnknownGates("DRAAdminAccess=true,SomethingElse=false");
  ASSERT_TRUE(unknown.ok());
  EXPECT_EQ(*unknown, std::set<std::string>{"SomethingElse"});
}

}  // namespace
}  // namespace dra::app
