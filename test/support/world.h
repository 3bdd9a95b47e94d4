// SPDX-License-Identifier: Apache-2.0
//
// World: a cluster for one test, fake or real, with one interface, so that a test body runs on
// both. An administrator prepares and looks; the product's claim controller runs in this process
// against it, on the real cluster with the ServiceAccount and RBAC of manifests/. The six
// invariants (invariant_watch.h) are watched all the time and judged by Finish.
//
// Life cycle: construct, Begin, use, Finish. One thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "kube/resource.h"
#include "kube/transport.h"
#include "support/builders.h"
#include "support/fake_store.h"
#include "support/invariant_watch.h"
#include "support/recording_transport.h"

namespace dra::test {

class ControllerUnderTest;

struct Answer {
  int status = 0;  // 0: no answer
  Json body;       // null when it is no JSON

  bool ok() const { return status >= 200 && status < 300; }
  // "422 Invalid: message", for failure texts.
  std::string Describe() const;
};

inline constexpr const char* kMerge = "application/merge-patch+json";
inline constexpr const char* kStrategic = "application/strategic-merge-patch+json";
inline constexpr const char* kApply = "application/apply-patch+yaml";

class World {
 public:
  World();
  virtual ~World();

  virtual void Begin();
  // Stops the controller, fails the test for every broken invariant, and clears the namespace.
  virtual void Finish();

  const std::string& ns() const { return ns_; }

  // --- As an administrator. `name` is in ns(). ---

  Answer Call(kube::Method method, const std::string& target, const std::string& content_type = "",
              const std::string& body = "");
  Answer Get(const kube::Resource& resource, const std::string& name);
  Answer Post(const Json& object);
  // `part`: "" or "status", and a query if there is one: "status?fieldManager=m".
  Answer Patch(const kube::Resource& resource, const std::string& name, const std::string& part,
               const char* type, const Json& patch);
  Answer Delete(const kube::Resource& resource, const std::string& name,
                const Json& options = Json::object());
  // A stream of the collection; null, and a failed test, if it cannot be opened.
  std::unique_ptr<kube::ByteStream> Watch(const kube::Resource& resource, const std::string& query);

  // The following fail the test when the server does not do as it is told.

  // Creates the object, writes its status by the subresource, and deletes it when it has a
  // deletionTimestamp: the way to any state that a real server can be in. Returns what is stored.
  Json Prepare(const Json& object);
  // Null when there is none.
  Json Find(const kube::Resource& resource, const std::string& name);
  std::vector<Json> List(const kube::Resource& resource);
  // Whatever finalizers and grace periods say.
  void Remove(const kube::Resource& resource, const std::string& name);
  void SetPhase(const std::string& pod, const std::string& phase);
  // Events about the object of this name.
  std::vector<Json> Events(const std::string& about);
  // The current version of the cluster.
  std::string Version();

  // --- The product. ---

  void StartController();
  void StopController();
  // Waits until the controller has seen everything that was written before, and rests.
  void Settle();

  // Waits until `condition`; a failed test with everything that is in the namespace if it never
  // comes true. True if it did.
  bool Await(const std::string& what, const std::function<bool()>& condition);

  RecordingTransport& product_link() { return *recording_; }
  std::vector<RecordedWrite> Writes() const { return recording_->Writes(); }
  // The product's writes to one object, or to objects whose path contains `name`.
  int WritesTo(const std::string& name) const;
  void SetWriteLimit(int limit) { write_limit_ = limit; }
  InvariantWatch& invariants() { return *invariants_; }

 protected:
  // Who reaches the cluster how; called once, before Begin returns.
  virtual kube::Transport& AdminLink() = 0;
  virtual kube::Transport& ProductLink() = 0;
  virtual std::string NewNamespace() = 0;
  virtual std::chrono::seconds Patience() const = 0;

 private:
  // The server's answer, or a failed test.
  Json Must(const Answer& answer, const std::string& what);
  bool Poll(std::chrono::seconds limit, const std::function<bool()>& condition);
  void JudgeInvariants();
  void Purge();
  std::string Dump();

  SystemClock clock_;
  std::string ns_;
  std::unique_ptr<RecordingTransport> recording_;
  std::unique_ptr<InvariantWatch> invariants_;
  std::unique_ptr<ControllerUnderTest> controller_;
  int write_limit_ = InvariantWatch::kDefaultWriteLimit;
  int sentinels_ = 0;
};

// The resource that an object's kind belongs to.
const kube::Resource& ResourceOf(const Json& object);

}  // namespace dra::test
