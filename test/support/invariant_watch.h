// SPDX-License-Identifier: Apache-2.0
//
// InvariantWatch: watches the pods and claims of one namespace, every version of them, while a test
// runs, and says at its end what should never have been:
//
//   1. reservedFor without an allocation
//   2. the finalizer removed from a claim that is still allocated
//   3. two live generated claims for one (pod UID, entry)
//   4. a terminal pod that enters reservedFor
//   5. more writes of the product to one object than the test allows (a hot loop)
//   6. a write of the product that changes fields which are not its business
//
// 2 and 4 are judged only while the product runs (Arm, Disarm): a test has to prepare such states.
// Versions of one cluster are totally ordered, so the two watches are merged by them.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "kube/resource.h"
#include "kube/transport.h"
#include "support/fake_store.h"
#include "support/recording_transport.h"

namespace dra::test {

// One version of a pod or a claim.
struct SeenVersion {
  std::uint64_t version = 0;
  std::string type;  // "ADDED", ...
  Json object;

  std::string ToString() const;
};

class InvariantWatch {
 public:
  static constexpr int kDefaultWriteLimit = 10;

  // Starts watching at `version`, which the caller has just read.
  InvariantWatch(kube::Transport& admin, std::string ns, std::string version);

  void Arm(std::uint64_t version);
  void Disarm(std::uint64_t version);

  // True once both watches have shown an object of this name.
  bool HasSeen(const std::string& name) const;

  // All violations, each with the history of the object. `writes` are the product's.
  std::vector<std::string> Violations(const std::vector<RecordedWrite>& writes,
                                      int write_limit) const;

  // Every version seen, oldest first.
  std::vector<SeenVersion> History() const;

 private:
  struct Interval {
    std::uint64_t from = 0;
    std::uint64_t to = UINT64_MAX;
  };

  void Follow(const kube::Resource& resource, std::string version, const std::stop_token& stop);
  // Reads one stream to its end; the version to go on from.
  std::string ReadStream(std::unique_ptr<kube::ByteStream> bytes, std::string version,
                         const std::stop_token& stop);
  bool Armed(std::uint64_t version) const REQUIRES(mutex_);

  kube::Transport& admin_;
  const std::string ns_;

  mutable Mutex mutex_;
  std::vector<SeenVersion> seen_ GUARDED_BY(mutex_);
  std::vector<Interval> armed_ GUARDED_BY(mutex_);
  std::vector<std::string> troubles_ GUARDED_BY(mutex_);  // of the watches themselves

  std::jthread pods_;
  std::jthread claims_;
};

}  // namespace dra::test
