// SPDX-License-Identifier: Apache-2.0
#include "support/fake_watch.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace dra::test {
namespace {

std::string FieldText(const Json& object, const std::string& path) {
  const Json* at = &object;
  std::istringstream steps(path);
  for (std::string step; std::getline(steps, step, '.');) {
    if (!at->is_object() || !at->contains(step)) return {};
    at = &(*at)[step];
  }
  return at->is_string() ? at->get<std::string>() : std::string();
}

// The line that a change is to this selection; empty when it is none of its business. An object
// that enters or leaves the selection looks added or deleted, as on the real server.
std::string LineFor(const FakeKind& kind, const Selection& selection, bool bookmarks,
                    const Change& change) {
  if (change.type == Change::Type::kBookmark) {
    return bookmarks ? WatchLine("BOOKMARK", BookmarkObject(kind, change.version, false)) : "";
  }
  const bool before = change.before != nullptr && selection.Matches(*change.before);
  const bool after = change.type != Change::Type::kDeleted && selection.Matches(*change.object);
  if (!before && !after) return "";
  if (after) return WatchLine(before ? "MODIFIED" : "ADDED", *change.object);
  return WatchLine("DELETED", *change.object);
}

class FakeWatch final : public kube::ByteStream {
 public:
  FakeWatch(std::shared_ptr<FakeState> state, WatchStart start, int cuts)
      : state_(std::move(state)), start_(std::move(start)), cuts_(cuts) {
    pending_ = std::move(start_.initial);
  }

  ~FakeWatch() override {
    MutexLock lock(state_->mutex);
    --state_->open_streams;
    state_->changed.notify_all();
  }

  Result<std::size_t> Read(char* buffer, std::size_t size, const std::stop_token& stop) override {
    MutexLock lock(state_->mutex);
    const bool ready = state_->changed.wait(lock, stop, [&] { return IsCut() || Deliverable(); });
    if (!ready) return Error(Code::kCancelled, "the watch was cancelled");
    if (IsCut()) {
      const auto& error = state_->cuts[start_.kind->plural].error;
      if (error.has_value()) return *error;
      return std::size_t{0};
    }
    const std::size_t count = std::min(size, pending_.size() - sent_);
    std::memcpy(buffer, pending_.data() + sent_, count);
    sent_ += count;
    if (sent_ == pending_.size()) {
      pending_.clear();
      sent_ = 0;
    }
    return count;
  }

 private:
  bool IsCut() const { return state_->cuts[start_.kind->plural].count != cuts_; }

  // Fills pending_ if it is empty and something may be sent.
  bool Deliverable() {
    if (state_->held[start_.kind->plural]) return false;
    if (!pending_.empty()) return true;
    if (start_.ends_after_initial) return true;  // with nothing: the regular end
    const auto& changes = state_->store.Changes(start_.kind->plural);
    // In portions, so that the slices of a large backlog are read as they are asked for.
    while (start_.next < changes.size() && pending_.size() < kPortion) {
      pending_ += LineFor(*start_.kind, start_.selection, start_.bookmarks, changes[start_.next++]);
    }
    return !pending_.empty();
  }

  static constexpr std::size_t kPortion = 64 * 1024;

  const std::shared_ptr<FakeState> state_;
  WatchStart start_;
  const int cuts_;  // cuts of the resource when this stream was opened
  std::string pending_;
  std::size_t sent_ = 0;
};

}  // namespace

Result<Selection> Selection::Parse(std::string ns, const std::string& labels,
                                   const std::string& fields) {
  Selection selection;
  selection.ns_ = std::move(ns);
  DRA_RETURN_IF_ERROR(ParseTerms(labels, true, selection.terms_));
  DRA_RETURN_IF_ERROR(ParseTerms(fields, false, selection.terms_));
  return selection;
}

Result<void> Selection::ParseTerms(const std::string& text, bool label, std::vector<Term>& terms) {
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    if (part.empty() || part.find_first_of(" ()") != std::string::npos) {
      return BadRequest("the fake does not know the selector " + text);
    }
    Term term{label, part, std::nullopt, false};
    const auto equals = part.find('=');
    if (equals != std::string::npos) {
      term.negated = equals > 0 && part[equals - 1] == '!';
      const bool twice = equals + 1 < part.size() && part[equals + 1] == '=';
      term.key = part.substr(0, term.negated ? equals - 1 : equals);
      term.value = part.substr(equals + (twice ? 2 : 1));
    } else if (part.front() == '!') {
      term.negated = true;
      term.key = part.substr(1);
    }
    terms.push_back(std::move(term));
  }
  return {};
}

bool Selection::Matches(const Json& object) const {
  if (!ns_.empty() && MetaField(object, "namespace") != ns_) return false;
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    if (!term.label) return (FieldText(object, term.key) == *term.value) != term.negated;
    const Json& value = At(object, {"metadata", "labels", term.key});
    if (!term.value.has_value()) return value.is_null() == term.negated;
    return (value == *term.value) != term.negated;
  });
}

std::string WatchLine(std::string_view type, const Json& object) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + object.dump() + "}\n";
}

Json BookmarkObject(const FakeKind& kind, std::uint64_t version, bool initial_events_end) {
  Json meta = {{"resourceVersion", std::to_string(version)}, {"creationTimestamp", nullptr}};
  if (initial_events_end) meta["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  return {{"apiVersion", kind.ApiVersion()}, {"kind", kind.kind}, {"metadata", std::move(meta)}};
}

std::unique_ptr<kube::ByteStream> OpenFakeWatch(std::shared_ptr<FakeState> state,
                                                WatchStart start) {
  ++state->open_streams;
  const int cuts = state->cuts[start.kind->plural].count;
  return std::make_unique<FakeWatch>(std::move(state), std::move(start), cuts);
}

}  // namespace dra::test
