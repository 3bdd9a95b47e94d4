// SPDX-License-Identifier: Apache-2.0
//
// The claim controller with everything that it needs around it, as the program builds it, on a
// Transport that the test gives.
#pragma once

#include "base/clock.h"
#include "claims/claim_controller.h"
#include "kube/client.h"
#include "kube/flow_control.h"
#include "metrics/client_probe.h"
#include "metrics/event_probe.h"
#include "metrics/registry.h"
#include "runtime/event_recorder.h"

namespace dra::test {

class ControllerUnderTest {
 public:
  ControllerUnderTest(kube::Transport& transport, Clock& clock)
      : client_probe_(registry_, "test"),
        event_probe_(registry_),
        flow_({}, clock),
        reads_(transport, flow_, client_probe_, clock),
        writes_(transport, flow_, client_probe_, clock),
        events_(writes_, clock, event_probe_, {"resource_claim", "test"}),
        controller_({reads_, writes_, events_, clock, registry_, {kWorkers, false}}) {}

  ~ControllerUnderTest() { Stop(); }

  void Start() { controller_.Start(); }
  void Stop() {
    controller_.Stop();
    events_.Stop(std::chrono::seconds(2));
  }

  claims::ClaimController& controller() { return controller_; }
  metrics::Registry& registry() { return registry_; }

 private:
  static constexpr int kWorkers = 4;

  metrics::Registry registry_;
  metrics::ClientProbe client_probe_;
  metrics::EventProbe event_probe_;
  kube::FlowControl flow_;
  kube::Client reads_;
  kube::Client writes_;
  runtime::AsyncEventRecorder events_;
  claims::ClaimController controller_;
};

}  // namespace dra::test
