// SPDX-License-Identifier: Apache-2.0
#include "claims/pod_plan.h"

#include <algorithm>

#include "base/time.h"

namespace dra::claims {
namespace {

// Collects what lasts too long. A problem younger than kPatience is not told yet; the plan asks to
// be made again when it would be.
class Patience {
 public:
  Patience(const api::Pod& pod, Clock::Wall now, PodPlan& plan) : plan_(plan) {
    const auto created = ParseTime(pod.meta.creation_timestamp);
    // Without a readable time there is nothing to wait for.
    left_ = created ? *created + kPatience - now : Clock::Wall::duration::zero();
  }

  void Tell(Problem problem) {
    if (left_ <= Clock::Wall::duration::zero()) {
      plan_.problems.push_back(std::move(problem));
    } else {
      // Creation times have whole seconds and clocks differ a little: look a second later.
      plan_.look_again = left_ + std::chrono::seconds(1);
    }
  }

 private:
  PodPlan& plan_;
  Clock::Wall::duration left_;
};

std::vector<ClaimPtr> Alive(const std::vector<ClaimPtr>& claims) {
  std::vector<ClaimPtr> alive;
  std::copy_if(claims.begin(), claims.end(), std::back_inserter(alive),
               [](const ClaimPtr& claim) { return !claim->meta.deleting(); });
  return alive;
}

bool HasUsableName(const EntryView& entry, const api::Pod& pod) {
  return std::holds_alternative<GeneratedClaim>(entry.name) && entry.named != nullptr &&
         IsOwnedBy(*entry.named, pod);
}

// What to do about a template entry that has no claim in the status, or one that is gone or
// foreign.
EntryDecision Generate(const EntryView& entry) {
  const std::vector<ClaimPtr> alive = Alive(entry.made_for);
  if (!alive.empty()) return Record{alive.front()->meta.name};
  // A dying claim would be refused by the scheduler, and its name is still taken (W16).
  if (!entry.made_for.empty()) return WaitForEnd{entry.made_for.front()->meta.name};
  if (entry.claim_template == nullptr) return Blocked{TemplateMissing(entry.entry)};
  return Create{};
}

EntryDecision Decide(const EntryView& entry, const api::Pod& pod, Patience& patience) {
  if (std::holds_alternative<Unsupported>(entry.name))
    return Blocked{EntryUnsupported(entry.entry)};
  if (std::holds_alternative<NotNeeded>(entry.name)) return Keep{};
  if (std::holds_alternative<UserClaim>(entry.name)) {
    if (entry.named == nullptr) patience.Tell(UserClaimMissing(entry.entry));
    return Keep{};
  }
  if (HasUsableName(entry, pod)) return Keep{};
  return Generate(entry);
}

void ReportDuplicates(const EntryView& entry, PodPlan& plan) {
  const std::vector<ClaimPtr> alive = Alive(entry.made_for);
  if (alive.size() < 2) return;
  std::vector<std::string> names;
  for (const ClaimPtr& claim : alive) names.push_back(claim->meta.name);
  plan.problems.push_back(Duplicates(entry.entry, names));
}

// The claim that the entry will use once the plan is carried out, if it exists already (W7: not the
// state before the plan).
ClaimPtr EffectiveClaim(const EntryView& entry, const EntryDecision& decision) {
  if (const auto* record = std::get_if<Record>(&decision)) {
    for (const ClaimPtr& claim : entry.made_for) {
      if (claim->meta.name == record->claim_name) return claim;
    }
  }
  return std::holds_alternative<Keep>(decision) ? entry.named : nullptr;
}

void PlanReservation(const EntryView& entry, const ClaimPtr& claim, const api::Pod& pod,
                     PodPlan& plan, Patience& patience) {
  if (claim == nullptr || claim->ReservedFor(pod.meta.uid)) return;
  if (!claim->allocated) {
    patience.Tell(NeverAllocated(entry.entry, claim->meta.name, pod.node_name));
  } else if (claim->reserved_for.size() >= api::kMaxReservedFor) {
    plan.problems.push_back(ClaimFull(entry.entry, claim->meta.name));
  } else if (!claim->meta.deleting()) {  // the server refuses new consumers of a dying claim
    plan.reserve.push_back(claim);
  }
}

// A pod that is being deleted on its node gets nothing new, but needs the names of the claims it
// has: the kubelet finds what to unprepare by them (W15).
PodPlan PlanDeletingPod(const PodView& view) {
  PodPlan plan;
  if (view.pod->node_name.empty()) return plan;
  for (const EntryView& entry : view.entries) {
    const bool unnamed =
        std::holds_alternative<NotGenerated>(entry.name) && !entry.made_for.empty();
    if (unnamed) {
      plan.entries.emplace_back(Record{entry.made_for.front()->meta.name});
    } else {
      plan.entries.emplace_back(Keep{});
    }
  }
  return plan;
}

}  // namespace

PodPlan PlanPod(const PodView& view, Clock::Wall now) {
  const api::Pod& pod = *view.pod;
  if (pod.Terminal()) return {};  // W1, W2: no generation, status or reservation for a finished pod
  if (pod.meta.deleting()) return PlanDeletingPod(view);
  PodPlan plan;
  Patience patience(pod, now, plan);
  for (const EntryView& entry : view.entries) {
    plan.entries.push_back(Decide(entry, pod, patience));
    ReportDuplicates(entry, plan);
    if (pod.node_name.empty()) continue;  // the scheduler reserves
    PlanReservation(entry, EffectiveClaim(entry, plan.entries.back()), pod, plan, patience);
  }
  return plan;
}

std::vector<api::PodClaimStatus> MergeStatuses(const api::Pod& pod,
                                               const std::vector<api::PodClaimStatus>& resolved) {
  std::vector<api::PodClaimStatus> merged = resolved;
  const auto contains = [&merged](const std::string& entry) {
    return std::any_of(merged.begin(), merged.end(), [&entry](const api::PodClaimStatus& status) {
      return status.name == entry;
    });
  };
  for (const api::PodClaimStatus& status : pod.claim_statuses) {
    if (status.claim_name && !contains(status.name)) merged.push_back(status);
  }
  std::sort(
      merged.begin(), merged.end(),
      [](const api::PodClaimStatus& a, const api::PodClaimStatus& b) { return a.name < b.name; });
  return merged;
}

namespace {

bool EntryNeedsWork(const api::Pod& pod, const api::PodClaimEntry& entry, const ClaimFinder& find) {
  const EntryName name = ResolveEntry(pod, entry);
  if (std::holds_alternative<NotNeeded>(name)) return false;
  if (std::holds_alternative<Unsupported>(name) || std::holds_alternative<NotGenerated>(name))
    return true;
  const auto* generated = std::get_if<GeneratedClaim>(&name);
  const ClaimPtr claim =
      find(generated != nullptr ? generated->name : std::get<UserClaim>(name).name);
  if (claim == nullptr) return true;
  if (generated != nullptr && !IsOwnedBy(*claim, pod)) return true;
  return !pod.node_name.empty() && !claim->ReservedFor(pod.meta.uid);
}

}  // namespace

bool PodNeedsWork(const api::Pod& pod, const ClaimFinder& find) {
  if (pod.Terminal()) return false;
  if (pod.meta.deleting() && pod.node_name.empty()) return false;
  return std::any_of(pod.claims.begin(), pod.claims.end(), [&](const api::PodClaimEntry& entry) {
    return pod.meta.deleting() ? std::holds_alternative<NotGenerated>(ResolveEntry(pod, entry))
                               : EntryNeedsWork(pod, entry, find);
  });
}

}  // namespace dra::claims
