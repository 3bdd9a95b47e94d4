// SPDX-License-Identifier: Apache-2.0
#include "claims/problem.h"

#include "base/strings.h"

namespace dra::claims {
namespace {

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// Upstream's prefix, which users and tests search for.
std::string ForEntry(std::string_view entry, std::string_view text) {
  return "PodResourceClaim " + std::string(entry) + ": " + std::string(text);
}

std::string Describe(const api::ConsumerReference& consumer) {
  const std::string group = consumer.api_group.empty() ? "" : "." + consumer.api_group;
  return consumer.resource + group + " " + consumer.name + " (uid " + consumer.uid + ")";
}

// At most this many are spelled out; an Event's message has 1024 bytes.
constexpr std::size_t kNamed = 5;

std::string DescribeAll(const std::vector<api::ConsumerReference>& consumers) {
  std::vector<std::string> parts;
  for (const auto& consumer : consumers) {
    if (parts.size() == kNamed) {
      parts.push_back("and " + std::to_string(consumers.size() - kNamed) + " more");
      break;
    }
    parts.push_back(Describe(consumer));
  }
  return Join(parts, ", ");
}

}  // namespace

Problem TemplateMissing(const api::PodClaimEntry& entry) {
  return {kFailedCreation,
          ForEntry(entry.name,
                   "resource claim template " + Quoted(entry.template_name.value_or("")) +
                       ": not found; the claim is made as soon as the template is created")};
}

Problem EntryUnsupported(const api::PodClaimEntry& entry) {
  return {
      kFailedCreation,
      ForEntry(
          entry.name,
          "neither resourceClaimName nor resourceClaimTemplateName is set: the entry uses an API "
          "that this version of dra-claim-controller does not know")};
}

Problem CreationFailed(std::string_view entry, std::string_view why) {
  return {kFailedCreation, ForEntry(entry, why)};
}

Problem UserClaimMissing(const api::PodClaimEntry& entry) {
  return {kClaimNotFound,
          ForEntry(entry.name, "resource claim " + Quoted(entry.claim_name.value_or("")) +
                                   " does not exist; the pod waits until somebody creates it")};
}

Problem NeverAllocated(const api::PodClaimEntry& entry, std::string_view claim,
                       std::string_view node) {
  return {
      kClaimNotAllocated,
      ForEntry(entry.name,
               "the pod is assigned to node " + Quoted(node) + " but claim " + Quoted(claim) +
                   " is not allocated; only a scheduler with DRA support allocates: create the pod "
                   "without spec.nodeName and select the node by affinity")};
}

Problem ClaimFull(const api::PodClaimEntry& entry, std::string_view claim) {
  return {
      kClaimFull,
      ForEntry(entry.name,
               "claim " + Quoted(claim) + " is reserved for " +
                   std::to_string(api::kMaxReservedFor) +
                   " consumers, the most that Kubernetes allows; the pod waits until one is done")};
}

Problem ReservationFailed(std::string_view claim, std::string_view why) {
  return {kReservationFailed, "claim " + Quoted(claim) + ": " + std::string(why)};
}

Problem Duplicates(const api::PodClaimEntry& entry, const std::vector<std::string>& claims) {
  return {kDuplicateClaims,
          ForEntry(entry.name, "more than one claim was generated: " + Join(claims, ", ") +
                                   "; check that kube-controller-manager runs with "
                                   "--controllers=*,-resourceclaim-controller")};
}

Problem Released(const std::vector<api::ConsumerReference>& consumers) {
  return {kReservationReleased,
          "no longer reserved for " + DescribeAll(consumers) + ": finished or gone", false};
}

Problem Deallocated() {
  return {kDeallocated, "the last consumer is done: the allocated devices are free again", false};
}

Problem ReleaseFailed(std::string_view why) { return {kReleaseFailed, std::string(why)}; }

Problem FinalizerBlocks(const std::vector<std::string>& finalizers) {
  return {kFinalizerBlocks,
          "the claim is being deleted and waits for other finalizers: " + Join(finalizers, ", ")};
}

Problem UnknownConsumers(const std::vector<api::ConsumerReference>& consumers) {
  return {kUnknownConsumer,
          "the allocation is kept for consumers that are not pods: " + DescribeAll(consumers) +
              "; their owner has to remove them from status.reservedFor"};
}

}  // namespace dra::claims
