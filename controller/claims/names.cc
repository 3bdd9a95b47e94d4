// SPDX-License-Identifier: Apache-2.0
#include "claims/names.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace dra::claims {
namespace {

constexpr std::size_t kMaxGenerateName = 57;
constexpr std::size_t kMaxBase = 58;  // the API server cuts here before it appends the suffix
constexpr std::size_t kSuffixLength = 5;
constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";  // apimachinery util/rand

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

EntryName ResolveEntry(const api::Pod& pod, const api::PodClaimEntry& entry) {
  if (entry.claim_name) return UserClaim{*entry.claim_name};
  if (!entry.template_name) return Unsupported{};
  const api::PodClaimStatus* status = pod.FindStatus(entry.name);
  if (status == nullptr) return NotGenerated{};
  if (!status->claim_name) return NotNeeded{};
  return GeneratedClaim{*status->claim_name};
}

std::vector<PodClaimName> PodClaims(const api::Pod& pod) {
  std::vector<PodClaimName> names;
  for (const api::PodClaimEntry& entry : pod.claims) {
    const EntryName resolved = ResolveEntry(pod, entry);
    if (const auto* user = std::get_if<UserClaim>(&resolved)) {
      names.push_back({user->name, false});
    } else if (const auto* generated = std::get_if<GeneratedClaim>(&resolved)) {
      names.push_back({generated->name, true});
    }
  }
  if (pod.extended_claim && !pod.extended_claim->empty())
    names.push_back({*pod.extended_claim, true});
  return names;
}

bool IsOwnedBy(const api::ResourceClaim& claim, const api::Pod& pod) {
  const api::OwnerReference* owner = claim.meta.Controller();
  return owner != nullptr && claim.meta.ns == pod.meta.ns && owner->uid == pod.meta.uid;
}

const api::OwnerReference* PodOwner(const api::ResourceClaim& claim) {
  const api::OwnerReference* owner = claim.meta.Controller();
  const bool pod = owner != nullptr && owner->api_version == "v1" && owner->kind == "Pod";
  return pod ? owner : nullptr;
}

std::string GenerateName(std::string_view pod, std::string_view entry) {
  std::string whole = std::string(pod) + "-" + std::string(entry) + "-";
  const std::size_t length = whole.size();
  if (length <= kMaxGenerateName) return whole;
  std::string_view pod_part =
      pod.substr(0, std::max<std::size_t>(1, pod.size() * kMaxGenerateName / length));
  while (pod_part.size() > 1 && !IsAlphanumeric(pod_part.back())) pod_part.remove_suffix(1);
  const std::string_view entry_part = entry.substr(0, entry.size() * kMaxGenerateName / length);
  return std::string(pod_part) + "-" + std::string(entry_part);
}

std::string GeneratedClaimName(const api::Pod& pod, std::string_view entry, int salt) {
  std::string name = GenerateName(pod.meta.name, entry).substr(0, kMaxBase);
  // The separator cannot occur in a UID or an entry name, so no two pairs give the same bytes.
  std::uint64_t hash =
      StableHash(pod.meta.uid + "\n" + std::string(entry), static_cast<std::uint64_t>(salt));
  for (std::size_t i = 0; i < kSuffixLength; ++i) {
    name += kAlphabet[hash % kAlphabet.size()];
    hash /= kAlphabet.size();
  }
  return name;
}

}  // namespace dra::claims
