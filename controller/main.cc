// SPDX-License-Identifier: Apache-2.0
//
// dra-claim-controller: parse the command line, run until told to stop.
#include <cstdio>
#include <variant>

#include "app/manager.h"
#include "app/options.h"
#include "app/signals.h"
#include "base/log.h"
#include "kube/cpprest_transport.h"

int main(int argc, char** argv) {
  const auto parsed = dra::app::ParseCommandLine(argc, argv);
  if (const auto* exit = std::get_if<dra::app::Exit>(&parsed)) {
    std::fputs(exit->text.c_str(), exit->code == 0 ? stdout : stderr);
    return exit->code;
  }
  const auto& options = std::get<dra::app::RunOptions>(parsed);
  dra::log::Configure(options.log);
  dra::kube::CpprestTransport::PrepareProcess();
  dra::app::SignalWatcher signals;
  const auto ran = dra::app::Run(options, signals);
  if (!ran.ok()) {
    dra::log::Failure("cannot run", {{"err", ran.error()}});
    return 1;
  }
  return 0;
}
