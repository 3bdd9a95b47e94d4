// SPDX-License-Identifier: Apache-2.0
//
// Decoder: turns what the API server sends into the structs of this folder. It reads only the
// values that the field table of the kind names and skips everything else, 5 to 7 us for a pod of
// 8.5 KB. It owns a parser and a buffer; one per thread.
//
// Whatever the bytes are, the answer is an object or a kMalformed error that names the path:
// - an absent value and null leave the default; unknown keys are skipped unread;
// - a value of another type than the table says is an error;
// - of a repeated key the last value counts, repeated objects are merged (as in Go);
// - UTF-8 is checked everywhere, the end of the document is checked (a cut one is an error), the
//   inside of skipped values only for its brackets. Depth costs nothing: there is no recursion
//   deeper than the table.
// - Work and memory are linear in the size, which is limited. Above kKeepBytes memory is given back
//   after each call.
// Errors never carry values, so no secret of an object can reach a log through them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/field_table.h"
#include "api/meta.h"
#include "base/result.h"

namespace dra::api {

struct Pod;
struct ResourceClaim;
struct ResourceClaimTemplate;

// The kinds that can be decoded.
template <>
const FieldTable<Pod>& Fields<Pod>();
template <>
const FieldTable<ResourceClaim>& Fields<ResourceClaim>();
template <>
const FieldTable<ResourceClaimTemplate>& Fields<ResourceClaimTemplate>();
// Part of each of them.
template <>
const FieldTable<ObjectMeta>& Fields<ObjectMeta>();

// One page of a ...List object.
template <class T>
struct ListPage {
  std::vector<T> items;
  ResourceVersion resource_version;  // never empty
  std::string continue_token;        // empty on the last page
  std::string kind;                  // "PodList"
};

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

// A watch event without its object.
struct WatchFrame {
  WatchEventType type = WatchEventType::kError;
  ResourceVersion resource_version;  // kBookmark: everything up to it has been sent
  bool initial_events_end = false;   // kBookmark: the initial list of a streaming watch is complete
  std::optional<Error> error;        // kError, and only then: see ErrorFromStatus
};

template <class T>
struct WatchEvent : WatchFrame {
  T object;  // kAdded, kModified, kDeleted; else a default T
};

class Decoder {
 public:
  // Of one document. The largest is a page of 500 objects; etcd allows each 1.5 MiB, what people
  // store is far below.
  static constexpr std::size_t kMaxBytes = 256U << 20U;
  static constexpr std::size_t kKeepBytes = 1U << 20U;

  Decoder();
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  template <class T>
  Result<T> Decode(std::string_view json) {
    T object;
    DRA_RETURN_IF_ERROR(Project(json, Fields<T>().root(), &object));
    return object;
  }

  // A document without metadata.resourceVersion, or whose kind does not end in "List", is an
  // error: an answer that is not a list must not look like an empty one.
  template <class T>
  Result<ListPage<T>> DecodeList(std::string_view json) {
    static const FieldTable<ListPage<T>> fields = ListFields<T>();
    ListPage<T> page;
    DRA_RETURN_IF_ERROR(Project(json, fields.root(), &page));
    DRA_RETURN_IF_ERROR(CheckList(page.kind, page.resource_version));
    return page;
  }

  // One line of a watch.
  template <class T>
  Result<WatchEvent<T>> DecodeWatchEvent(std::string_view line) {
    WatchEvent<T> event;
    DRA_RETURN_IF_ERROR(ProjectFrame(line, Fields<T>().root(), &event.object, event));
    return event;
  }

  // What the three are made of: fills the struct at `target` that `root` was made for. After an
  // error it may be half filled.
  Result<void> Project(std::string_view json, const FieldNode& root, void* target);

 private:
  struct State;

  template <class T>
  static FieldTable<ListPage<T>> ListFields() {
    FieldTable<ListPage<T>> fields;
    fields.String("kind", &ListPage<T>::kind)
        .String("metadata.resourceVersion", &ListPage<T>::resource_version)
        .String("metadata.continue", &ListPage<T>::continue_token)
        .List("items", &ListPage<T>::items, Fields<T>());
    return fields;
  }
  static Result<void> CheckList(std::string_view kind, const ResourceVersion& version);
  Result<void> ProjectFrame(std::string_view line, const FieldNode& root, void* object,
                            WatchFrame& frame);

  std::unique_ptr<State> state_;
};

}  // namespace dra::api
