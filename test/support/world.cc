// SPDX-License-Identifier: Apache-2.0
#include "support/world.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "support/controller_under_test.h"
#include "support/fake_verbs.h"

namespace dra::test {
namespace {

constexpr kube::Resource kNamespaces{"", "v1", "namespaces", "Namespace", false};

std::uint64_t NumberOf(const std::string& version) { return ParseVersion(version).value_or(0); }

}  // namespace

std::string Answer::Describe() const {
  return std::to_string(status) + " " + TextAt(body, {"reason"}) + ": " + TextAt(body, {"message"});
}

const kube::Resource& ResourceOf(const Json& object) {
  static constexpr kube::Resource kAll[] = {kube::kPods, kube::kEvents, kube::kResourceClaims,
                                            kube::kResourceClaimTemplates, kNamespaces};
  for (const kube::Resource& resource : kAll) {
    if (resource.kind == TextAt(object, {"kind"})) return resource;
  }
  ADD_FAILURE() << "the worlds do not know the kind of " << object.dump();
  return kAll[0];
}

World::World() = default;
World::~World() = default;

void World::Begin() {
  ns_ = NewNamespace();
  recording_ = std::make_unique<RecordingTransport>(ProductLink());
  Must(Post({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns_}}}}),
       "create the namespace");
  invariants_ = std::make_unique<InvariantWatch>(AdminLink(), ns_, Version());
}

void World::Finish() {
  if (invariants_ == nullptr) return;
  StopController();
  JudgeInvariants();
  invariants_.reset();
  Purge();
}

Answer World::Call(kube::Method method, const std::string& target, const std::string& content_type,
                   const std::string& body) {
  kube::Request request;
  request.method = method;
  request.target = target;
  request.content_type = content_type;
  request.body = body;
  const auto response = AdminLink().Send(request, {});
  if (!response.ok()) return {0, {{"message", response.error().Describe()}}};
  Json parsed = Json::parse(response->body, nullptr, false);
  return {response->status, parsed.is_discarded() ? Json() : std::move(parsed)};
}

Answer World::Get(const kube::Resource& resource, const std::string& name) {
  return Call(kube::Method::kGet, resource.ObjectPath({ns_, name}));
}

Answer World::Post(const Json& object) {
  const kube::Resource& resource = ResourceOf(object);
  return Call(kube::Method::kPost, resource.CollectionPath(resource.namespaced ? ns_ : ""),
              "application/json", object.dump());
}

Answer World::Patch(const kube::Resource& resource, const std::string& name,
                    const std::string& part, const char* type, const Json& patch) {
  const std::string object = resource.ObjectPath({ns_, name});
  return Call(kube::Method::kPatch, part.empty() ? object : object + "/" + part, type,
              patch.dump());
}

Answer World::Delete(const kube::Resource& resource, const std::string& name, const Json& options) {
  Json body = options;
  body["apiVersion"] = "v1";
  body["kind"] = "DeleteOptions";
  const api::ObjectKey key{resource.namespaced ? ns_ : "", name};
  return Call(kube::Method::kDelete, resource.ObjectPath(key), "application/json", body.dump());
}

std::unique_ptr<kube::ByteStream> World::Watch(const kube::Resource& resource,
                                               const std::string& query) {
  kube::Request request;
  request.target = resource.CollectionPath(ns_) + "?watch=true&" + query;
  auto response = AdminLink().Open(request, {});
  if (!response.ok() || response->stream == nullptr) {
    ADD_FAILURE() << "the watch could not be opened: "
                  << (response.ok() ? response->body : response.error().Describe());
    return nullptr;
  }
  return std::move(response->stream);
}

Json World::Must(const Answer& answer, const std::string& what) {
  EXPECT_TRUE(answer.ok()) << what << ": " << answer.Describe();
  return answer.body;
}

Json World::Prepare(const Json& object) {
  const kube::Resource& resource = ResourceOf(object);
  const std::string name = MetaField(object, "name");
  Json body = object;
  body.erase("status");
  body["metadata"].erase("uid");
  Must(Post(body), "create " + name);
  if (object.contains("status")) {
    const Json patch = {{"status", object["status"]}};
    Must(Patch(resource, name, "status", kMerge, patch), "write the status of " + name);
  }
  if (!MetaField(object, "deletionTimestamp").empty()) {
    Must(Delete(resource, name), "delete " + name);
  }
  return Find(resource, name);
}

Json World::Find(const kube::Resource& resource, const std::string& name) {
  const Answer answer = Get(resource, name);
  if (answer.status == 404) return nullptr;
  return Must(answer, "get " + name);
}

std::vector<Json> World::List(const kube::Resource& resource) {
  const Json list = Must(Call(kube::Method::kGet, resource.CollectionPath(ns_)), "list");
  const Json& items = At(list, {"items"});
  return {items.begin(), items.end()};
}

void World::Remove(const kube::Resource& resource, const std::string& name) {
  const std::string uid = MetaField(Find(resource, name), "uid");
  const Answer answer = Delete(resource, name, {{"gracePeriodSeconds", 0}});
  if (answer.status == 404) return;
  Must(answer, "delete " + name);
  // The product may have made another object of this name meanwhile.
  const auto is_there = [&] { return MetaField(Find(resource, name), "uid") == uid; };
  const Json none = {{"metadata", {{"uid", uid}, {"finalizers", nullptr}}}};
  if (is_there()) Patch(resource, name, "", kMerge, none);
  EXPECT_FALSE(is_there()) << name << " cannot be removed";
}

void World::SetPhase(const std::string& pod, const std::string& phase) {
  Must(Patch(kube::kPods, pod, "status", kMerge, {{"status", {{"phase", phase}}}}), "set phase");
}

std::vector<Json> World::Events(const std::string& about) {
  std::vector<Json> events;
  for (Json& event : List(kube::kEvents)) {
    if (TextAt(event, {"involvedObject", "name"}) == about) events.push_back(std::move(event));
  }
  return events;
}

std::string World::Version() {
  const Answer page = Call(kube::Method::kGet, kube::kPods.CollectionPath(ns_) + "?limit=1");
  return MetaField(Must(page, "read the version"), "resourceVersion");
}

void World::StartController() {
  invariants_->Arm(NumberOf(Version()));
  controller_ = std::make_unique<ControllerUnderTest>(*recording_, clock_);
  controller_->Start();
}

void World::StopController() {
  if (controller_ == nullptr) return;
  controller_.reset();
  invariants_->Disarm(NumberOf(Version()));
}

void World::Settle() {
  if (controller_ == nullptr) {
    ADD_FAILURE() << "Settle needs a running controller";
    return;
  }
  // What the controller does for these two shows that both of its watches have come so far.
  const std::string name = "sentinel-" + std::to_string(++sentinels_);
  Prepare(TemplateBuilder(ns_, name));
  Prepare(ClaimBuilder(ns_, name).Allocated().Reserved("nobody", "no-such-uid"));
  Prepare(PodBuilder(ns_, name).Entry("e").Template(name).Gate("example.com/never"));
  Await("the controller answers " + name, [&] {
    const Json claim = Find(kube::kResourceClaims, name);
    const Json pod = Find(kube::kPods, name);
    return At(claim, {"status", "reservedFor"}).is_null() &&
           !At(pod, {"status", "resourceClaimStatuses"}).is_null();
  });
  // Twice, as an item that has only just been taken may not have worked for any time yet.
  const auto rests = [&] { return controller_->controller().Idle(); };
  Await("the controller rests",
        [&] { return rests() && clock_.SleepFor(std::chrono::milliseconds(2), {}) && rests(); });
}

bool World::Poll(std::chrono::seconds limit, const std::function<bool()>& condition) {
  const auto deadline = clock_.Now() + limit;
  while (!condition()) {
    if (clock_.Now() > deadline) return false;
    clock_.SleepFor(std::chrono::milliseconds(5), {});
  }
  return true;
}

bool World::Await(const std::string& what, const std::function<bool()>& condition) {
  if (Poll(Patience(), condition)) return true;
  ADD_FAILURE() << "in vain awaited: " << what << "\n" << Dump();
  return false;
}

int World::WritesTo(const std::string& name) const {
  int count = 0;
  for (const RecordedWrite& write : recording_->Writes()) {
    if (write.path.find("/" + name) != std::string::npos) ++count;
  }
  return count;
}

std::string World::Dump() {
  std::string text = "in the namespace:\n";
  for (const kube::Resource& resource :
       {kube::kPods, kube::kResourceClaims, kube::kResourceClaimTemplates, kube::kEvents}) {
    for (Json& object : List(resource)) {
      object["metadata"].erase("managedFields");
      text += "  " + std::string(resource.kind) + " " + object.dump() + "\n";
    }
  }
  text += "the product wrote:\n";
  for (const RecordedWrite& write : recording_->Writes()) text += "  " + write.ToString() + "\n";
  return text;
}

void World::JudgeInvariants() {
  const std::string last = "last-sentinel";
  Prepare(PodBuilder(ns_, last).Gate("example.com/never"));
  Prepare(ClaimBuilder(ns_, last));
  EXPECT_TRUE(Poll(Patience(), [&] { return invariants_->HasSeen(last); }))
      << "the invariants' own watches have not come to the end";
  for (const std::string& violation : invariants_->Violations(recording_->Writes(), write_limit_)) {
    ADD_FAILURE() << violation;
  }
}

void World::Purge() {
  for (const kube::Resource& resource :
       {kube::kPods, kube::kResourceClaims, kube::kResourceClaimTemplates, kube::kEvents}) {
    for (const Json& object : List(resource)) Remove(resource, MetaField(object, "name"));
  }
  Delete(kNamespaces, ns_);
}

}  // namespace dra::test
