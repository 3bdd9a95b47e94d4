// SPDX-License-Identifier: Apache-2.0
//
// The one place that drives simdjson. On-demand is forward-only: each value is read once, in the
// order of the text, so the walk follows the document and looks names up in the table.
// Not used on purpose: object::reset() and value-typed roots, which in 3.0.1 lack checks against
// malformed text (simdjson pull request 2019, issue 1974). A text that must be walked twice (raw
// text with rows inside, an event whose object comes before its type) gets a parser of its own.
#include "api/decoder.h"

#include <cstring>

#include <nlohmann/json.hpp>
#include <simdjson.h>

#include "api/status.h"

namespace dra::api {
namespace {

namespace ondemand = simdjson::ondemand;

// simdjson reads up to this far behind the text. Zeros, so that no token can seem to go on there.
constexpr std::size_t kPadding = simdjson::SIMDJSON_PADDING;

struct Bookmark {
  ResourceVersion version;
  bool initial_events_end = false;
};

const FieldTable<Bookmark>& BookmarkFields() {
  static const FieldTable<Bookmark> fields = [] {
    FieldTable<Bookmark> table;
    table.String("metadata.resourceVersion", &Bookmark::version)
        .String("metadata.annotations['k8s.io/initial-events-end']",
                [](Bookmark& bookmark, const std::string& value) {
                  bookmark.initial_events_end = value == "true";
                });
    return table;
  }();
  return fields;
}

ondemand::json_type ExpectedType(JsonType type) {
  switch (type) {
    case JsonType::kString:
      return ondemand::json_type::string;
    case JsonType::kBool:
      return ondemand::json_type::boolean;
    case JsonType::kInt:
      return ondemand::json_type::number;
    case JsonType::kList:
      return ondemand::json_type::array;
    case JsonType::kObject:
    case JsonType::kMap:
      break;
  }
  return ondemand::json_type::object;
}

std::string_view NameOf(ondemand::json_type type) {
  switch (type) {
    case ondemand::json_type::array:
      return "list";
    case ondemand::json_type::object:
      return "object";
    case ondemand::json_type::number:
      return "number";
    case ondemand::json_type::string:
      return "string";
    case ondemand::json_type::boolean:
      return "bool";
    case ondemand::json_type::null:
      break;
  }
  return "null";
}

bool AtEnd(ondemand::document& document) {
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

std::string_view TrimRight(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// A padded copy of one document and the parser for it. At most one document is open at a time.
class Input {
 public:
  simdjson::simdjson_result<ondemand::document> Open(std::string_view json) {
    if (json.size() > Decoder::kMaxBytes) return simdjson::CAPACITY;
    if (json.empty()) return simdjson::EMPTY;
    const std::size_t needed = json.size() + kPadding;
    if (needed > capacity_) {
      // Doubled, so that a slowly growing object does not reallocate at each event; but a large
      // buffer is given back at once.
      capacity_ = needed > Decoder::kKeepBytes ? needed : 2 * needed;
      buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }
    std::memcpy(buffer_.get(), json.data(), json.size());
    std::memset(buffer_.get() + json.size(), 0, kPadding);
    return parser_.iterate(buffer_.get(), json.size(), capacity_);
  }

 private:
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  ondemand::parser parser_;
};

// One walk. The functions return false after a failure, which is then in error().
class Projector {
 public:
  bool Document(Input& input, std::string_view json, const FieldNode& root, void* target);
  bool Frame(Input& input, std::string_view line, const FieldNode& root, void* object,
             WatchFrame& frame);

  const Error& error() const { return *error_; }

 private:
  bool Object(ondemand::object object, const FieldNode& node, void* target);
  bool List(ondemand::array list, const FieldNode& node, void* target);
  bool Value(ondemand::value value, const FieldNode& node, void* target, std::string_view name);
  bool Scalar(ondemand::value value, const FieldNode& node, void* target);
  bool Container(ondemand::value value, const FieldNode& node, void* target);
  bool RawObject(ondemand::object object, const FieldNode& node, void* target);

  bool FrameField(ondemand::field field, const FieldNode& root, void* object, WatchFrame& frame);
  bool FrameType(std::string_view text, WatchFrame& frame);
  bool FrameObject(ondemand::value value, const FieldNode& root, void* object, WatchFrame& frame);
  bool PendingObject(const FieldNode& root, void* object, WatchFrame& frame);

  bool Fail(std::string_view path, std::string_view what) {
    error_.emplace(Code::kMalformed, path.empty() ? "JSON: " + std::string(what)
                                                  : std::string(path) + ": " + std::string(what));
    return false;
  }
  bool Fail(std::string_view path, simdjson::error_code code) {
    return Fail(path, simdjson::error_message(code));
  }

  std::optional<Error> error_;

  // State of Frame().
  bool has_type_ = false;
  bool has_object_ = false;
  std::string pending_;  // the text of an object that came before the type
};

bool Projector::Document(Input& input, std::string_view json, const FieldNode& root, void* target) {
  ondemand::document document;
  if (const auto code = input.Open(json).get(document)) return Fail(root.path, code);
  ondemand::object object;
  if (const auto code = document.get_object().get(object)) return Fail(root.path, code);
  if (!Object(object, root, target)) return false;
  return AtEnd(document) || Fail(root.path, "text after the end");
}

bool Projector::Object(ondemand::object object, const FieldNode& node, void* target) {
  for (auto entry : object) {
    ondemand::field field;
    if (const auto code = std::move(entry).get(field)) return Fail(node.path, code);
    std::string_view key;
    if (const auto code = field.unescaped_key().get(key)) return Fail(node.path, code);
    const FieldNode* child = node.Find(key);
    if (child == nullptr) continue;  // the iteration skips what nobody read
    if (!Value(field.value(), *child, target, key)) return false;
  }
  return true;
}

bool Projector::List(ondemand::array list, const FieldNode& node, void* target) {
  const FieldNode* element = node.children.empty() ? nullptr : &node.children.front();
  for (auto entry : list) {
    ondemand::value value;
    if (const auto code = std::move(entry).get(value)) return Fail(node.path, code);
    if (element != nullptr && !Value(value, *element, target, {})) return false;
  }
  return true;
}

bool Projector::Value(ondemand::value value, const FieldNode& node, void* target,
                      std::string_view name) {
  ondemand::json_type type;
  if (const auto code = value.type().get(type)) return Fail(node.path, code);
  if (type == ondemand::json_type::null) {
    bool is_null = false;
    if (const auto code = value.is_null().get(is_null)) return Fail(node.path, code);
    return is_null || Fail(node.path, "neither null nor a value");
  }
  if (type != ExpectedType(node.type)) {
    return Fail(node.path, "expected " + std::string(ToString(node.type)) + ", found " +
                               std::string(NameOf(type)));
  }
  if (node.enter) target = node.enter(target, name);
  return type == ondemand::json_type::array || type == ondemand::json_type::object
             ? Container(value, node, target)
             : Scalar(value, node, target);
}

bool Projector::Scalar(ondemand::value value, const FieldNode& node, void* target) {
  if (node.type == JsonType::kString) {
    std::string_view text;
    if (const auto code = value.get_string().get(text)) return Fail(node.path, code);
    if (node.text) node.text(target, text);
  } else if (node.type == JsonType::kBool) {
    bool flag = false;
    if (const auto code = value.get_bool().get(flag)) return Fail(node.path, code);
    if (node.boolean) node.boolean(target, flag);
  } else {
    std::int64_t number = 0;
    if (const auto code = value.get_int64().get(number)) return Fail(node.path, code);
    if (node.integer) node.integer(target, number);
  }
  return true;
}

bool Projector::Container(ondemand::value value, const FieldNode& node, void* target) {
  if (node.begin) node.begin(target);
  if (node.type == JsonType::kList) {
    ondemand::array list;
    if (const auto code = value.get_array().get(list)) return Fail(node.path, code);
    if (!List(list, node, target)) return false;
  } else {
    ondemand::object object;
    if (const auto code = value.get_object().get(object)) return Fail(node.path, code);
    const bool fine = node.raw ? RawObject(object, node, target) : Object(object, node, target);
    if (!fine) return false;
  }
  if (node.end) node.end(target);
  return true;
}

bool Projector::RawObject(ondemand::object object, const FieldNode& node, void* target) {
  std::string_view json;
  if (const auto code = object.raw_json().get(json)) return Fail(node.path, code);
  json = TrimRight(json);
  // It goes into requests as it is, so unlike other skipped text it must be what it seems.
  if (!nlohmann::json::accept(json)) return Fail(node.path, "not valid JSON");
  node.raw(target, json);
  if (node.children.empty()) return true;
  Input inner;
  return Document(inner, json, node, target);
}

bool Projector::Frame(Input& input, std::string_view line, const FieldNode& root, void* object,
                      WatchFrame& frame) {
  ondemand::document document;
  if (const auto code = input.Open(line).get(document)) return Fail({}, code);
  ondemand::object fields;
  if (const auto code = document.get_object().get(fields)) return Fail({}, code);
  for (auto entry : fields) {
    ondemand::field field;
    if (const auto code = std::move(entry).get(field)) return Fail({}, code);
    if (!FrameField(field, root, object, frame)) return false;
  }
  if (!AtEnd(document)) return Fail({}, "text after the end");
  if (!has_type_) return Fail("type", "missing");
  if (!has_object_) return Fail("object", "missing");
  return pending_.empty() || PendingObject(root, object, frame);
}

bool Projector::FrameField(ondemand::field field, const FieldNode& root, void* object,
                           WatchFrame& frame) {
  std::string_view key;
  if (const auto code = field.unescaped_key().get(key)) return Fail({}, code);
  if (key == "type") {
    if (has_type_) return Fail("type", "twice");
    std::string_view text;
    if (const auto code = field.value().get_string().get(text)) return Fail("type", code);
    has_type_ = true;
    return FrameType(text, frame);
  }
  if (key != "object") return true;
  if (has_object_) return Fail("object", "twice");
  has_object_ = true;
  return FrameObject(field.value(), root, object, frame);
}

bool Projector::FrameType(std::string_view text, WatchFrame& frame) {
  if (text == "ADDED") {
    frame.type = WatchEventType::kAdded;
  } else if (text == "MODIFIED") {
    frame.type = WatchEventType::kModified;
  } else if (text == "DELETED") {
    frame.type = WatchEventType::kDeleted;
  } else if (text == "BOOKMARK") {
    frame.type = WatchEventType::kBookmark;
  } else if (text == "ERROR") {
    frame.type = WatchEventType::kError;
  } else {
    return Fail("type", "not one that we know");
  }
  return true;
}

bool Projector::FrameObject(ondemand::value value, const FieldNode& root, void* object,
                            WatchFrame& frame) {
  ondemand::object fields;
  if (const auto code = value.get_object().get(fields)) return Fail("object", code);
  if (has_type_ && frame.type < WatchEventType::kBookmark) return Object(fields, root, object);
  // Rare ones, and small: bookmarks and errors, or the type is not known yet.
  std::string_view json;
  if (const auto code = fields.raw_json().get(json)) return Fail("object", code);
  pending_ = TrimRight(json);
  return true;
}

bool Projector::PendingObject(const FieldNode& root, void* object, WatchFrame& frame) {
  Input input;
  if (frame.type == WatchEventType::kError) {
    frame.error = ErrorFromStatus(0, pending_, /*is_create=*/false);
    return true;
  }
  if (frame.type != WatchEventType::kBookmark) return Document(input, pending_, root, object);
  Bookmark bookmark;
  if (!Document(input, pending_, BookmarkFields().root(), &bookmark)) return false;
  if (bookmark.version.empty()) return Fail("metadata.resourceVersion", "missing in a bookmark");
  frame.resource_version = std::move(bookmark.version);
  frame.initial_events_end = bookmark.initial_events_end;
  return true;
}

}  // namespace

struct Decoder::State {
  Input input;

  // Gives back the memory for a large document.
  void Trim(std::size_t used) {
    if (used > kKeepBytes) input = Input();
  }
};

Decoder::Decoder() : state_(std::make_unique<State>()) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

Result<void> Decoder::Project(std::string_view json, const FieldNode& root, void* target) {
  Projector projector;
  const bool fine = projector.Document(state_->input, json, root, target);
  state_->Trim(json.size());
  if (!fine) return projector.error();
  return {};
}

Result<void> Decoder::ProjectFrame(std::string_view line, const FieldNode& root, void* object,
                                   WatchFrame& frame) {
  Projector projector;
  const bool fine = projector.Frame(state_->input, line, root, object, frame);
  state_->Trim(line.size());
  if (!fine) return projector.error();
  return {};
}

Result<void> Decoder::CheckList(std::string_view kind, const ResourceVersion& version) {
  if (!kind.ends_with("List")) return Error(Code::kMalformed, "kind: not a list");
  if (version.empty())
    return Error(Code::kMalformed, "metadata.resourceVersion: missing in a list");
  return {};
}

}  // namespace dra::api
