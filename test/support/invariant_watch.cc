// SPDX-License-Identifier: Apache-2.0
#include "support/invariant_watch.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "api/resource_claim.h"
#include "base/strings.h"
#include "kube/client.h"
#include "support/fake_verbs.h"
#include "support/invariants.h"

namespace dra::test {

std::string SeenVersion::ToString() const {
  Json shown = object;
  shown["metadata"].erase("managedFields");
  return std::to_string(version) + " " + type + " " + shown.dump();
}

InvariantWatch::InvariantWatch(kube::Transport& admin, std::string ns, std::string version)
    : admin_(admin), ns_(std::move(ns)) {
  const auto follow = [this, version](const kube::Resource& resource) {
    return [this, version, &resource](const std::stop_token& stop) {
      Follow(resource, version, stop);
    };
  };
  pods_ = std::jthread(follow(kube::kPods));
  claims_ = std::jthread(follow(kube::kResourceClaims));
}

void InvariantWatch::Follow(const kube::Resource& resource, std::string version,
                            const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    kube::Request request;
    request.target = resource.CollectionPath(ns_) +
                     "?watch=true&allowWatchBookmarks=true&resourceVersion=" + version;
    auto response = admin_.Open(request, stop);
    if (!response.ok() || response->stream == nullptr) {
      if (stop.stop_requested()) return;
      MutexLock lock(mutex_);
      troubles_.push_back("the invariant watch of " + std::string(resource.plural) +
                          " could not be opened");
      return;
    }
    version = ReadStream(std::move(response->stream), std::move(version), stop);
    if (version.empty()) return;
  }
}

std::string InvariantWatch::ReadStream(std::unique_ptr<kube::ByteStream> bytes, std::string version,
                                       const std::stop_token& stop) {
  kube::LineStream lines(std::move(bytes));
  while (true) {
    const auto line = lines.Next(stop);
    if (!line.ok() || !line->has_value()) return version;  // cut; the caller goes on from there
    Json event = Json::parse(**line, nullptr, false);
    const std::string type = TextAt(event, {"type"});
    if (type == "ERROR" || event.is_discarded()) {
      MutexLock lock(mutex_);
      troubles_.push_back("the invariant watch got " + std::string(**line));
      return "";
    }
    version = MetaField(event["object"], "resourceVersion");
    if (type == "BOOKMARK") continue;
    MutexLock lock(mutex_);
    seen_.push_back({ParseVersion(version).value_or(0), type, std::move(event["object"])});
  }
}

void InvariantWatch::Arm(std::uint64_t version) {
  MutexLock lock(mutex_);
  armed_.push_back({version, UINT64_MAX});
}

void InvariantWatch::Disarm(std::uint64_t version) {
  MutexLock lock(mutex_);
  if (!armed_.empty()) armed_.back().to = std::min(armed_.back().to, version);
}

bool InvariantWatch::Armed(std::uint64_t version) const {
  return std::any_of(armed_.begin(), armed_.end(), [&](const Interval& interval) {
    return interval.from < version && version <= interval.to;
  });
}

bool InvariantWatch::HasSeen(const std::string& name) const {
  MutexLock lock(mutex_);
  std::set<std::string> kinds;
  for (const SeenVersion& seen : seen_) {
    if (MetaField(seen.object, "name") == name) kinds.insert(TextAt(seen.object, {"kind"}));
  }
  return kinds.size() == 2;
}

std::vector<SeenVersion> InvariantWatch::History() const {
  MutexLock lock(mutex_);
  std::vector<SeenVersion> history = seen_;
  std::stable_sort(history.begin(), history.end(), [](const SeenVersion& a, const SeenVersion& b) {
    return a.version < b.version;
  });
  return history;
}

std::vector<std::string> InvariantWatch::Violations(const std::vector<RecordedWrite>& writes,
                                                    int write_limit) const {
  const std::vector<SeenVersion> history = History();
  const auto armed = [this](std::uint64_t version) {
    MutexLock lock(mutex_);
    return Armed(version);
  };
  std::vector<Violation> found = JudgeHistory(history, armed);
  for (Violation& violation : JudgeWrites(history, writes, write_limit)) {
    found.push_back(std::move(violation));
  }
  std::vector<std::string> texts;
  for (const Violation& violation : found) {
    std::string text = violation.what + "\n  history:";
    for (const SeenVersion& seen : history) {
      if (MetaField(seen.object, "uid") == violation.uid) text += "\n    " + seen.ToString();
    }
    texts.push_back(std::move(text));
  }
  MutexLock lock(mutex_);
  texts.insert(texts.end(), troubles_.begin(), troubles_.end());
  return texts;
}

}  // namespace dra::test
