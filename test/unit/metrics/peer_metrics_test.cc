// SPDX-License-Identifier: Apache-2.0
//
// The names that we share with kube-controller-manager, byte for byte. peer_metrics.txt was printed
// by a Go program on k8s.io/component-base and client-go v0.37.2 (restclient and workqueue
// metrics, dynamic-resource-allocation's counter, the claim controller's gauge, client_golang's
// process collector) after the same observations as below; "*" stands for values of the machine.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/claim_probe.h"
#include "metrics/client_probe.h"
#include "metrics/process_collector.h"
#include "metrics/queue_probe.h"
#include "metrics/registry.h"

namespace dra::metrics {
namespace {

using std::chrono::milliseconds;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("process_")) line = line.substr(0, line.find(' ')) + " *";
    // What we have beside the peer's names.
    if (line.starts_with("dra_") || line.starts_with("# HELP dra_") ||
        line.starts_with("# TYPE dra_")) {
      continue;
    }
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> Golden() {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "peer_metrics.txt");
  std::stringstream text;
  text << file.rdbuf();
  return Lines(text.str());
}

TEST(PeerMetrics, AreTheSameTextAsThePeerPrints) {
  Registry registry;
  ExportProcess(registry);
  const QueueProbe queue(registry, "resource_claim");
  ClientProbe client(registry, "10.0.0.1:443");
  client.Request("GET", 200, milliseconds(30), 100, 5'000'000);
  client.Waited("GET", milliseconds(5));
  client.Retried("GET", 503);
  ClaimProbe claims(registry);
  claims.CreateRequest(true, false, "", "Pod");
  claims.SetCensus([] {
    return std::map<ClaimCategory, std::size_t>{
        {{true, false, "resource_claim_template"}, 2'000'000}, {{false, false, ""}, 3}};
  });
  const std::vector<std::string> golden = Golden();
  ASSERT_GT(golden.size(), 100U);
  EXPECT_THAT(Lines(registry.Serialize()), testing::ElementsAreArray(golden));
}

}  // namespace
}  // namespace dra::metrics
