// SPDX-License-Identifier: Apache-2.0
#include "support/invariants.h"

#include <algorithm>
#include <map>
#include <set>

#include "api/resource_claim.h"

namespace dra::test {
namespace {

bool IsClaim(const Json& object) { return TextAt(object, {"kind"}) == "ResourceClaim"; }

bool IsTerminalPod(const Json& object) {
  const std::string phase = TextAt(object, {"status", "phase"});
  return TextAt(object, {"kind"}) == "Pod" && (phase == "Succeeded" || phase == "Failed");
}

bool IsAllocated(const Json& claim) { return !At(claim, {"status", "allocation"}).is_null(); }

bool IsProtected(const Json& claim) {
  const Json& finalizers = At(claim, {"metadata", "finalizers"});
  return std::find(finalizers.begin(), finalizers.end(), api::kClaimFinalizer) != finalizers.end();
}

std::set<std::string> Consumers(const Json& claim) {
  std::set<std::string> uids;
  for (const Json& consumer : At(claim, {"status", "reservedFor"})) {
    uids.insert(TextAt(consumer, {"uid"}));
  }
  return uids;
}

// "pod UID/entry" of a live generated claim; empty for others.
std::string GeneratedFor(const Json& claim) {
  if (!MetaField(claim, "deletionTimestamp").empty()) return "";
  const std::string entry =
      TextAt(claim, {"metadata", "annotations", std::string(api::kPodClaimNameAnnotation)});
  for (const Json& owner : At(claim, {"metadata", "ownerReferences"})) {
    if (At(owner, {"controller"}) == true && TextAt(owner, {"kind"}) == "Pod" && !entry.empty()) {
      return TextAt(owner, {"uid"}) + "/" + entry;
    }
  }
  return "";
}

// Walks the history and remembers the state that each version met.
class Judge {
 public:
  explicit Judge(const std::function<bool(std::uint64_t)>& armed) : armed_(armed) {}

  void See(const SeenVersion& seen) {
    const std::string uid = MetaField(seen.object, "uid");
    if (IsTerminalPod(seen.object)) terminal_.insert(uid);
    if (!IsClaim(seen.object)) return;
    if (seen.type == "DELETED") {
      // The last state may be one that no MODIFIED showed: the finalizer's end deletes at once.
      CheckProtection(seen);
      claims_.erase(uid);
      return;
    }
    CheckReservation(seen);
    CheckProtection(seen);
    claims_[uid] = seen.object;
    CheckTwins(seen);
  }

  std::vector<Violation> Take() { return std::move(found_); }

 private:
  void Report(const std::string& what, const SeenVersion& seen) {
    found_.push_back({what + ": " + MetaField(seen.object, "name") + " at version " +
                          std::to_string(seen.version),
                      MetaField(seen.object, "uid")});
  }

  const Json& Before(const SeenVersion& seen) const {
    static const Json none;
    const auto before = claims_.find(MetaField(seen.object, "uid"));
    return before == claims_.end() ? none : before->second;
  }

  void CheckReservation(const SeenVersion& seen) {
    const std::set<std::string> consumers = Consumers(seen.object);
    if (!consumers.empty() && !IsAllocated(seen.object)) {
      Report("invariant 1, reserved but not allocated", seen);
    }
    const std::set<std::string> before = Consumers(Before(seen));
    for (const std::string& uid : consumers) {
      if (!before.contains(uid) && terminal_.contains(uid) && armed_(seen.version)) {
        Report("invariant 4, reserved for the terminal pod " + uid, seen);
      }
    }
  }

  void CheckProtection(const SeenVersion& seen) {
    const Json& before = Before(seen);
    if (before.is_null() || !IsProtected(before) || !IsAllocated(before)) return;
    if (IsAllocated(seen.object) && !IsProtected(seen.object) && armed_(seen.version)) {
      Report("invariant 2, allocated without finalizer", seen);
    }
  }

  void CheckTwins(const SeenVersion& seen) {
    const std::string purpose = GeneratedFor(seen.object);
    if (purpose.empty()) return;
    const auto twins = std::count_if(claims_.begin(), claims_.end(), [&](const auto& claim) {
      return GeneratedFor(claim.second) == purpose;
    });
    if (twins > 1) Report("invariant 3, a second claim for " + purpose, seen);
  }

  const std::function<bool(std::uint64_t)>& armed_;
  std::map<std::string, Json> claims_;  // the living ones, by uid
  std::set<std::string> terminal_;      // uids of pods
  std::vector<Violation> found_;
};

// The JSON pointers that the product may change, by what they start with.
bool MayChange(const Json& object, const std::string& pointer, bool deallocated) {
  static const std::vector<std::string> meta = {
      "/metadata/resourceVersion", "/metadata/managedFields",
      "/metadata/finalizers",      "/metadata/deletionTimestamp",
      "/metadata/generation",      "/metadata/deletionGracePeriodSeconds"};
  std::vector<std::string> allowed = meta;
  if (IsClaim(object)) {
    allowed.push_back("/status/reservedFor");
    if (deallocated) {
      allowed.push_back("/status/allocation");
      allowed.push_back("/status/devices");
    }
  } else {
    allowed.push_back("/status/resourceClaimStatuses");
  }
  return std::any_of(allowed.begin(), allowed.end(),
                     [&](const std::string& start) { return pointer.starts_with(start); });
}

void JudgeChange(const Json& before, const SeenVersion& after, std::vector<Violation>& found) {
  const bool deallocated = IsAllocated(before) && !IsAllocated(after.object);
  for (const Json& step : Json::diff(before, after.object)) {
    const std::string pointer = step["path"];
    if (MayChange(before, pointer, deallocated)) continue;
    found.push_back({"invariant 6, the product changed " + pointer + " of " +
                         MetaField(before, "name") + " at version " + std::to_string(after.version),
                     MetaField(before, "uid")});
  }
}

// The object that a write was about: its path without the subresource; of a create, the name in
// the body.
std::string ObjectOf(const RecordedWrite& write) {
  std::string path = write.path;
  if (path.ends_with("/status")) path.resize(path.size() - std::string("/status").size());
  if (write.method != kube::Method::kPost) return path;
  return path + "/" + MetaField(Json::parse(write.body, nullptr, false), "name");
}

}  // namespace

std::vector<Violation> JudgeHistory(const std::vector<SeenVersion>& history,
                                    const std::function<bool(std::uint64_t)>& armed) {
  Judge judge(armed);
  for (const SeenVersion& seen : history) judge.See(seen);
  return judge.Take();
}

std::vector<Violation> JudgeWrites(const std::vector<SeenVersion>& history,
                                   const std::vector<RecordedWrite>& writes, int write_limit) {
  std::vector<Violation> found;
  std::set<std::string> ours;
  std::map<std::string, int> counts;
  for (const RecordedWrite& write : writes) {
    if (!write.resource_version.empty()) ours.insert(write.resource_version);
    if (++counts[ObjectOf(write)] == write_limit + 1) {
      found.push_back({"invariant 5, more than " + std::to_string(write_limit) + " writes to " +
                           ObjectOf(write) + ", the last: " + write.ToString(),
                       ""});
    }
  }
  std::map<std::string, Json> latest;  // by uid
  for (const SeenVersion& seen : history) {
    const std::string uid = MetaField(seen.object, "uid");
    const auto before = latest.find(uid);
    if (before != latest.end() && ours.contains(std::to_string(seen.version)) &&
        seen.type == "MODIFIED") {
      JudgeChange(before->second, seen, found);
    }
    latest[uid] = seen.object;
  }
  return found;
}

}  // namespace dra::test
