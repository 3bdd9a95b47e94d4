// SPDX-License-Identifier: Apache-2.0
//
// Problem: something that a person should know about a pod or a claim, with the reason and the
// words of its Event. All reasons and texts of this controller are made here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"

namespace dra::claims {

// Upstream's only reason; its message starts with "PodResourceClaim <entry>: ".
inline constexpr std::string_view kFailedCreation = "FailedResourceClaimCreation";
inline constexpr std::string_view kClaimNotFound = "ResourceClaimNotFound";
inline constexpr std::string_view kClaimNotAllocated = "ResourceClaimNotAllocated";
inline constexpr std::string_view kClaimFull = "ResourceClaimFull";
inline constexpr std::string_view kDuplicateClaims = "DuplicateResourceClaims";
inline constexpr std::string_view kReservationFailed = "FailedResourceClaimReservation";
inline constexpr std::string_view kReservationReleased = "ReservationReleased";
inline constexpr std::string_view kDeallocated = "Deallocated";
inline constexpr std::string_view kReleaseFailed = "FailedResourceClaimRelease";
inline constexpr std::string_view kFinalizerBlocks = "FinalizerBlocksDeletion";
inline constexpr std::string_view kUnknownConsumer = "UnknownConsumer";

struct Problem {
  std::string_view reason;
  std::string message;
  bool warning = true;  // false: good news, an Event of type Normal
};

// About a pod.
Problem TemplateMissing(const api::PodClaimEntry& entry);
Problem EntryUnsupported(const api::PodClaimEntry& entry);
Problem CreationFailed(std::string_view entry, std::string_view why);
Problem UserClaimMissing(const api::PodClaimEntry& entry);
Problem NeverAllocated(const api::PodClaimEntry& entry, std::string_view claim,
                       std::string_view node);
Problem ClaimFull(const api::PodClaimEntry& entry, std::string_view claim);
Problem ReservationFailed(std::string_view claim, std::string_view why);
Problem Duplicates(const api::PodClaimEntry& entry, const std::vector<std::string>& claims);

// About a claim.
Problem Released(const std::vector<api::ConsumerReference>& consumers);
Problem Deallocated();
Problem ReleaseFailed(std::string_view why);
Problem FinalizerBlocks(const std::vector<std::string>& finalizers);
Problem UnknownConsumers(const std::vector<api::ConsumerReference>& consumers);

}  // namespace dra::claims
