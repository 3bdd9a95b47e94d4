// SPDX-License-Identifier: Apache-2.0
//
// The watches of the fake API server. A watch is a cursor over the store's changes; holding one
// back, cutting it and sending bookmarks are states of the server, not of the watch. Streams may
// outlive the server object. Threads: each stream has one reader.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "kube/transport.h"
#include "support/fake_store.h"

namespace dra::test {

// What a list or a watch is limited to.
class Selection {
 public:
  // `labels` and `fields` as in the query: "a=b,c!=d,e,!f". Other operators are 400.
  static Result<Selection> Parse(std::string ns, const std::string& labels,
                                 const std::string& fields);

  bool Matches(const Json& object) const;
  const std::string& ns() const { return ns_; }

 private:
  struct Term {
    bool label;
    std::string key;
    std::optional<std::string> value;  // none: the label must exist
    bool negated;
  };
  static Result<void> ParseTerms(const std::string& text, bool label, std::vector<Term>& terms);

  std::string ns_;
  std::vector<Term> terms_;
};

// What the server and its streams share.
struct FakeState {
  struct Cut {
    int count = 0;
    std::optional<Error> error;  // of the latest cut; none: a regular end
  };

  Mutex mutex;
  CondVar changed;  // notified after every change of what follows
  FakeStore store GUARDED_BY(mutex);
  std::map<std::string, bool> held GUARDED_BY(mutex);  // by plural
  std::map<std::string, Cut> cuts GUARDED_BY(mutex);   // by plural
  int open_streams GUARDED_BY(mutex) = 0;
};

// The initial state and the position of a new watch.
struct WatchStart {
  const FakeKind* kind = nullptr;
  Selection selection;
  bool bookmarks = false;
  std::string initial;   // lines to send first
  std::size_t next = 0;  // index into Changes()
  bool ends_after_initial = false;
};

// One line, with its newline.
std::string WatchLine(std::string_view type, const Json& object);
// The object of a bookmark.
Json BookmarkObject(const FakeKind& kind, std::uint64_t version, bool initial_events_end);

// Call with the mutex held.
std::unique_ptr<kube::ByteStream> OpenFakeWatch(std::shared_ptr<FakeState> state, WatchStart start);

}  // namespace dra::test
