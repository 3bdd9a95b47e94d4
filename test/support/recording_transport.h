// SPDX-License-Identifier: Apache-2.0
//
// RecordingTransport: the product's link to the cluster in a test. It passes requests on and keeps
// the mutating ones with their answers, so that the test knows what the product itself has written.
// It can answer one request in the server's place, and hold watches back, on any server.
// Thread-safe. Streams must not outlive it.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "kube/resource.h"
#include "kube/transport.h"

namespace dra::test {

struct RecordedWrite {
  kube::Method method;
  std::string path;  // without the query
  std::string body;
  int status = 0;                // 0: no answer
  std::string resource_version;  // of the object in the answer

  std::string ToString() const;
};

class RecordingTransport final : public kube::Transport {
 public:
  explicit RecordingTransport(kube::Transport& inner) : inner_(inner) {}

  Result<kube::Response> Send(const kube::Request& request, const std::stop_token& stop) override;
  Result<kube::StreamResponse> Open(const kube::Request& request,
                                    const std::stop_token& stop) override;

  // The next request of this method whose path contains `part` is answered like this and does not
  // reach the server.
  void AnswerNext(kube::Method method, std::string part, kube::Response answer);

  // Watches of the resource, also new ones, deliver nothing until the release; nothing is lost.
  void HoldWatch(const kube::Resource& resource);
  void ReleaseWatch(const kube::Resource& resource);

  // In the order of their answers; without those of Events.
  std::vector<RecordedWrite> Writes() const;

 private:
  struct Planned {
    kube::Method method;
    std::string part;
    kube::Response answer;
  };
  std::optional<kube::Response> TakePlanned(const kube::Request& request);

  class HeldStream;
  // Blocks while watches of the collection at `path` are held; false when stopped.
  bool AwaitRelease(const std::string& path, const std::stop_token& stop);

  kube::Transport& inner_;
  mutable Mutex mutex_;
  CondVar released_;
  std::vector<RecordedWrite> writes_ GUARDED_BY(mutex_);
  std::vector<Planned> planned_ GUARDED_BY(mutex_);
  std::set<std::string> held_ GUARDED_BY(mutex_);  // plurals
};

}  // namespace dra::test
