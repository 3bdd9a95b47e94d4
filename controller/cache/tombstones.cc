// SPDX-License-Identifier: Apache-2.0
#include "cache/tombstones.h"

#include <utility>

#include "base/strings.h"

namespace dra::cache {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

constexpr std::size_t kUuidLength = 36;

}  // namespace

Tombstones::Id Tombstones::IdOf(std::string_view uid) {
  Id id{};
  std::size_t digits = 0;
  for (const char c : uid) {
    if (c == '-') continue;
    const int value = HexValue(c);
    if (value < 0 || digits == 32) break;
    id[digits / 16] = (id[digits / 16] << 4U) | static_cast<std::uint64_t>(value);
    ++digits;
  }
  if (digits == 32 && uid.size() == kUuidLength) return id;
  return {StableHash(uid, 1), StableHash(uid, 2)};
}

void Tombstones::Add(std::string_view uid) {
  const Id id = IdOf(uid);
  MutexLock lock(mutex_);
  if (young_.size() >= capacity_) {
    old_ = std::move(young_);
    young_ = {};
  }
  young_.insert(id);
}

bool Tombstones::Contains(std::string_view uid) const {
  const Id id = IdOf(uid);
  MutexLock lock(mutex_);
  return young_.contains(id) || old_.contains(id);
}

void Tombstones::Clear() {
  MutexLock lock(mutex_);
  young_.clear();
  old_.clear();
}

}  // namespace dra::cache
