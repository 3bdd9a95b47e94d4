// SPDX-License-Identifier: Apache-2.0
//
// The reading verbs: get, list and watch.
#include <algorithm>
#include <charconv>

#include "support/fake_verbs.h"

namespace dra::test {
namespace {

std::string ContinueToken(std::uint64_t version, const api::ObjectKey& last) {
  return std::to_string(version) + ":" + last.ns + "/" + last.name;
}

struct Continuation {
  std::uint64_t version = 0;
  api::ObjectKey after;
};

Result<Continuation> ParseContinue(const std::string& token) {
  const auto colon = token.find(':');
  const auto slash = token.find('/', colon + 1);
  const auto version = ParseVersion(token.substr(0, colon));
  if (colon == std::string::npos || slash == std::string::npos || !version.has_value()) {
    return BadRequest("continue key is not valid");
  }
  return Continuation{*version,
                      {token.substr(colon + 1, slash - colon - 1), token.substr(slash + 1)}};
}

}  // namespace

std::optional<std::uint64_t> ParseVersion(const std::string& text) {
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return version;
}

Result<Json> FakeVerbs::Get(const FakeRoute& route) const {
  const ObjectPtr found = store_.Find(route.kind->plural, route.key);
  if (found == nullptr) return NotFound(route.kind->Qualified(), route.key.name);
  return *found;
}

Result<std::uint64_t> FakeVerbs::ListVersion(const FakeRoute& route) const {
  const std::string text = route.Query("resourceVersion");
  const std::string match = route.Query("resourceVersionMatch");
  if (text.empty() || text == "0") {
    if (text.empty() && !match.empty()) {
      InvalidFields invalid;
      invalid.Forbidden("resourceVersionMatch", "needs a resourceVersion");
      return invalid.ToError("ListOptions", "");
    }
    return store_.version();
  }
  const auto version = ParseVersion(text);
  if (!version.has_value()) return BadRequest("invalid resource version " + text);
  if (*version > store_.version()) {
    return TooLargeResourceVersion("Too large resource version: " + text +
                                   ", current: " + std::to_string(store_.version()));
  }
  const bool exact = match == "Exact" || (match.empty() && !route.Query("limit").empty());
  if (!exact) return store_.version();
  if (*version < store_.floor()) return Expired("The provided resource version is too old");
  return *version;
}

Result<Json> FakeVerbs::List(const FakeRoute& route) const {
  const FakeKind& kind = *route.kind;
  Continuation from;
  if (const std::string token = route.Query("continue"); !token.empty()) {
    DRA_TRY(from, ParseContinue(token));
    if (from.version < store_.floor()) {
      return Expired("The provided continue parameter is too old");
    }
  } else {
    DRA_TRY(from.version, ListVersion(route));
  }
  DRA_TRY(const Selection selection, Selection::Parse(route.key.ns, route.Query("labelSelector"),
                                                      route.Query("fieldSelector")));
  // As the real server's watch cache does, a list "at any version" ignores the limit.
  const bool any = route.Query("resourceVersion") == "0";
  const std::uint64_t limit = any ? 0 : ParseVersion(route.Query("limit")).value_or(0);
  Json items = Json::array();
  api::ObjectKey last;
  std::size_t left = 0;
  for (const ObjectPtr& object : store_.ObjectsAt(kind.plural, route.key.ns, from.version)) {
    if (!selection.Matches(*object) || KeyOf(*object) <= from.after) continue;
    if (limit > 0 && items.size() == limit) {
      ++left;
      continue;
    }
    last = KeyOf(*object);
    Json item = *object;
    item.erase("apiVersion");  // the items of a typed list carry neither
    item.erase("kind");
    items.push_back(std::move(item));
  }
  Json meta = {{"resourceVersion", std::to_string(from.version)}};
  if (left > 0) {
    meta["continue"] = ContinueToken(from.version, last);
    meta["remainingItemCount"] = left;
  }
  return Json{{"kind", kind.kind + "List"},
              {"apiVersion", kind.ApiVersion()},
              {"metadata", std::move(meta)},
              {"items", std::move(items)}};
}

Result<WatchStart> FakeVerbs::StartWatch(const FakeRoute& route) {
  const bool initial = route.IsTrue("sendInitialEvents");
  if (initial && route.Query("resourceVersionMatch") != "NotOlderThan") {
    InvalidFields invalid;
    invalid.Forbidden("resourceVersionMatch", "sendInitialEvents requires NotOlderThan");
    return invalid.ToError("ListOptions", "");
  }
  std::string ns = route.key.ns;
  DRA_TRY(Selection selection, Selection::Parse(std::move(ns), route.Query("labelSelector"),
                                                route.Query("fieldSelector")));
  WatchStart start{route.kind, std::move(selection), route.IsTrue("allowWatchBookmarks"), "", 0,
                   false};
  const std::string text = route.Query("resourceVersion");
  const auto version = text.empty() ? std::uint64_t{0} : ParseVersion(text);
  if (!version.has_value()) return BadRequest("invalid resource version " + text);

  // From here on, as on the real server, errors are events of a stream that was opened.
  const auto refuse = [&](const Error& error) {
    start.initial = WatchLine("ERROR", StatusBody(error, {}));
    start.ends_after_initial = true;
    return start;
  };
  if (initial && *version > store_.version()) {
    return refuse(TooLargeResourceVersion("Too large resource version: " + text));
  }
  const auto& changes = store_.Changes(route.kind->plural);
  if (initial || *version == 0) {
    for (const ObjectPtr& object : store_.Objects(route.kind->plural, route.key.ns)) {
      if (start.selection.Matches(*object)) start.initial += WatchLine("ADDED", *object);
    }
    if (initial) {
      start.initial += WatchLine("BOOKMARK", BookmarkObject(*route.kind, store_.version(), true));
    }
    start.next = changes.size();
    return start;
  }
  if (*version < store_.floor()) {
    return refuse(
        Expired("too old resource version: " + text + " (" + std::to_string(store_.floor()) + ")"));
  }
  const auto after = std::upper_bound(
      changes.begin(), changes.end(), *version,
      [](std::uint64_t wanted, const Change& change) { return wanted < change.version; });
  start.next = static_cast<std::size_t>(after - changes.begin());
  return start;
}

}  // namespace dra::test
