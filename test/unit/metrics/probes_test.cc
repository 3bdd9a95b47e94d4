// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/build_info.h"
#include "metrics/claim_probe.h"
#include "metrics/client_probe.h"
#include "metrics/event_probe.h"
#include "metrics/queue_probe.h"
#include "metrics/reconcile_probe.h"
#include "metrics/registry.h"
#include "metrics/watch_probe.h"

namespace dra::metrics {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

// How many series of `name` the text shows.
std::size_t CountSeries(const std::string& text, const std::string& name) {
  std::size_t count = 0;
  for (std::size_t at = text.find("\n" + name + "{"); at != std::string::npos;
       at = text.find("\n" + name + "{", at + 1)) {
    ++count;
  }
  return count;
}

class Probes : public testing::Test {
 protected:
  Registry registry_;
};

TEST_F(Probes, AnUnansweredRequestCountsAsErrorAndHasNoResponseSize) {
  ClientProbe probe(registry_, "h:1");
  probe.Request("POST", 0, milliseconds(1), 10, 0);
  const std::string text = registry_.Serialize();
  EXPECT_THAT(
      text, HasSubstr(R"(rest_client_requests_total{code="<error>",host="h:1",method="POST"} 1)"));
  EXPECT_THAT(text, Not(HasSubstr("rest_client_response_size_bytes")));
}

TEST_F(Probes, AServerThatInventsCodesCannotGrowTheMetrics) {
  ClientProbe probe(registry_, "h:1");
  for (int code = 100; code < 1100; ++code) probe.Request("GET", code, seconds(0), 0, 0);
  const std::string text = registry_.Serialize();
  EXPECT_EQ(CountSeries(text, "rest_client_requests_total"), 65U);
  EXPECT_THAT(
      text,
      HasSubstr(R"(rest_client_requests_total{code="__other__",host="h:1",method="GET"} 936)"));
}

TEST_F(Probes, MethodsThatNobodyKnowsShareOneSeries) {
  ClientProbe probe(registry_, "h:1");
  for (int i = 0; i < 100; ++i) probe.Request("M" + std::to_string(i), 200, seconds(0), 0, 0);
  EXPECT_EQ(CountSeries(registry_.Serialize(), "rest_client_requests_total"), 17U);
}

TEST_F(Probes, TwoClientsShareFamiliesAndDifferByHost) {
  ClientProbe one(registry_, "a:1");
  ClientProbe two(registry_, "b:1");
  one.Request("GET", 200, seconds(0), 0, 0);
  two.Request("GET", 200, seconds(0), 0, 0);
  EXPECT_EQ(CountSeries(registry_.Serialize(), "rest_client_requests_total"), 2U);
}

TEST_F(Probes, QueueGaugesAreAskedForAtEachScrape) {
  QueueProbe probe(registry_, "q");
  std::size_t depth = 3;
  probe.SetSnapshot([&] { return QueueSnapshot{depth, seconds(5), seconds(4)}; });
  EXPECT_THAT(registry_.Serialize(), HasSubstr("workqueue_depth{name=\"q\"} 3\n"));
  depth = 9;
  const std::string text = registry_.Serialize();
  EXPECT_THAT(text, HasSubstr("workqueue_depth{name=\"q\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_unfinished_work_seconds{name=\"q\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_longest_running_processor_seconds{name=\"q\"} 4\n"));
}

TEST_F(Probes, ADetachedQueueReadsAsEmpty) {
  QueueProbe probe(registry_, "q");
  probe.SetSnapshot([] { return QueueSnapshot{3, seconds(0), seconds(0)}; });
  EXPECT_THAT(registry_.Serialize(), HasSubstr("workqueue_depth{name=\"q\"} 3\n"));
  probe.SetSnapshot(nullptr);
  EXPECT_THAT(registry_.Serialize(), HasSubstr("workqueue_depth{name=\"q\"} 0\n"));
}

TEST_F(Probes, AProbeMayDieBeforeTheRegistry) {
  {
    QueueProbe queue(registry_, "q");
    queue.Added();
    queue.SetSnapshot([] { return QueueSnapshot{3, seconds(0), seconds(0)}; });
    ClaimProbe claims(registry_);
    claims.SetCensus([] { return std::map<ClaimCategory, std::size_t>{{{true, false, ""}, 1}}; });
  }
  const std::string text = registry_.Serialize();
  EXPECT_THAT(text, HasSubstr("workqueue_adds_total{name=\"q\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("workqueue_depth{name=\"q\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("dynamic_resource_allocation_resource_claims{")));
}

TEST_F(Probes, ABoundaryValueFallsIntoItsBucket) {
  QueueProbe probe(registry_, "q");
  probe.Started(seconds(1));
  const std::string text = registry_.Serialize();
  EXPECT_THAT(text, HasSubstr("workqueue_queue_duration_seconds_bucket{name=\"q\",le=\"0.1\"} 0"));
  EXPECT_THAT(text, HasSubstr("workqueue_queue_duration_seconds_bucket{name=\"q\",le=\"1\"} 1"));
}

TEST_F(Probes, TheCensusShowsOnlyCategoriesThatHaveClaims) {
  ClaimProbe probe(registry_);
  std::map<ClaimCategory, std::size_t> claims{{{true, false, ""}, 2}, {{false, false, ""}, 1}};
  probe.SetCensus([&] { return claims; });
  EXPECT_EQ(CountSeries(registry_.Serialize(), "dynamic_resource_allocation_resource_claims"), 2U);
  claims = {{{true, false, ""}, 0}, {{true, true, "extended_resource"}, 4}};
  const std::string text = registry_.Serialize();
  EXPECT_EQ(CountSeries(text, "dynamic_resource_allocation_resource_claims"), 1U);
  EXPECT_THAT(text, HasSubstr(R"(resource_claims{admin_access="true",allocated="true",)"
                              R"(source="extended_resource"} 4)"));
}

TEST_F(Probes, CreatesAppearWithTheFirstRequestAsUpstreamDoes) {
  ClaimProbe probe(registry_);
  EXPECT_THAT(registry_.Serialize(), Not(HasSubstr("resourceclaim_creates_total")));
  probe.CreateRequest(false, true, "scheduling.k8s.io", "PodGroup");
  EXPECT_THAT(registry_.Serialize(),
              HasSubstr(R"(resourceclaim_creates_total{admin_access="true",)"
                        R"(owner_api_group="scheduling.k8s.io",owner_api_kind="PodGroup",)"
                        R"(status="failure"} 1)"));
}

TEST_F(Probes, OurOwnCountersStartAtZero) {
  const ClaimProbe claims(registry_);
  const ReconcileProbe reconcile(registry_, "resourceclaim-controller");
  const WatchProbe watch(registry_, "pods");
  const EventProbe events(registry_);
  const std::string text = registry_.Serialize();
  EXPECT_EQ(CountSeries(text, "dra_claim_writes_total"), 35U);
  EXPECT_EQ(CountSeries(text, "dra_reconcile_total"), 5U);
  EXPECT_EQ(CountSeries(text, "dra_watch_restarts_total"), 6U);
  EXPECT_EQ(CountSeries(text, "dra_events_total"), 4U);
  EXPECT_EQ(CountSeries(text, "dra_events_dropped_total"), 3U);
  EXPECT_THAT(text, HasSubstr("dra_cache_synced{resource=\"pods\"} 0\n"));
}

TEST_F(Probes, AWriteIsCountedUnderItsOperationAndResult) {
  ClaimProbe probe(registry_);
  probe.Write(ClaimWrite::kRemoveFinalizer, WriteResult::kForbidden);
  probe.Write(ClaimWrite::kDelete, WriteResult::kError);
  const std::string text = registry_.Serialize();
  EXPECT_THAT(text,
              HasSubstr(R"(writes_total{operation="remove_finalizer",result="forbidden"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(writes_total{operation="delete",result="error"} 1)"));
}

TEST_F(Probes, ClockSkewCannotMakeALatencyNegative) {
  ClaimProbe probe(registry_);
  probe.PodServed(seconds(-3));
  const std::string text = registry_.Serialize();
  EXPECT_THAT(text, HasSubstr("dra_pod_claim_latency_seconds_sum 0\n"));
  EXPECT_THAT(text, HasSubstr("dra_pod_claim_latency_seconds_count 1\n"));
}

TEST_F(Probes, ReconcileResultsKeepTheirNames) {
  ReconcileProbe probe(registry_, "c");
  probe.Reconciled(ReconcileResult::kGiveUp, milliseconds(2));
  const std::string text = registry_.Serialize();
  EXPECT_THAT(text, HasSubstr(R"(dra_reconcile_total{controller="c",result="give_up"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(duration_seconds_bucket{controller="c",le="0.001"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(duration_seconds_bucket{controller="c",le="0.0025"} 1)"));
}

TEST_F(Probes, AWatchWithoutEventsHasNoTimestamp) {
  WatchProbe probe(registry_, "pods");
  EXPECT_THAT(registry_.Serialize(), Not(HasSubstr("dra_watch_last_event_timestamp_seconds{")));
  probe.Event(std::chrono::system_clock::time_point(seconds(1000)));
  probe.Restarted(WatchEnd::kTooLarge);
  probe.Objects(12);
  const std::string text = registry_.Serialize();
  EXPECT_THAT(text, HasSubstr("timestamp_seconds{resource=\"pods\"} 1000\n"));
  EXPECT_THAT(text, HasSubstr(R"(restarts_total{reason="too_large",resource="pods"} 1)"));
  EXPECT_THAT(text, HasSubstr("dra_cache_objects{resource=\"pods\"} 12\n"));
}

TEST_F(Probes, ALostEventIsCountedByReasonAndAsDropped) {
  EventProbe probe(registry_);
  probe.Lost(EventLoss::kWriteFailed);
  const std::string text = registry_.Serialize();
  EXPECT_THAT(text, HasSubstr(R"(dra_events_dropped_total{reason="write_failed"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(dra_events_total{result="dropped"} 1)"));
}

TEST_F(Probes, TheBuildIsALabelledOne) {
  ExportBuildInfo(registry_, {"1.2.3", "abc", std::string(CompilerName())});
  EXPECT_THAT(registry_.Serialize(), HasSubstr(R"(commit="abc",compiler="g)"));
  EXPECT_THAT(registry_.Serialize(), HasSubstr(R"(version="1.2.3"} 1)"));
}

TEST_F(Probes, ScrapesAndCountsMayRunAtTheSameTime) {
  ClaimProbe claims(registry_);
  std::atomic<std::size_t> size{0};
  claims.SetCensus([&] {
    return std::map<ClaimCategory, std::size_t>{{{true, false, ""}, size.load() % 2}};
  });
  ClientProbe client(registry_, "h:1");
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          size = static_cast<std::size_t>(i);
          client.Request("GET", 200 + t, milliseconds(1), 1, 1);
          claims.CreateRequest(true, false, "", "Pod");
          EXPECT_FALSE(registry_.Serialize().empty());
        }
      });
    }
  }
  EXPECT_THAT(registry_.Serialize(), HasSubstr(R"(owner_api_kind="Pod",status="success"} 200)"));
}

}  // namespace
}  // namespace dra::metrics
