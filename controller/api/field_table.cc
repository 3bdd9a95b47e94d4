// SPDX-License-Identifier: Apache-2.0
#include "api/field_table.h"

#include <algorithm>
#include <stdexcept>

namespace dra::api {
namespace {

constexpr std::string_view kAnyElement = "[]";
constexpr std::string_view kAnyEntry = "{}";

struct Segment {
  std::string_view key;
  JsonType parent;  // the type that a value must have to contain this
};

[[noreturn]] void Mistake(std::string_view path, std::string_view what) {
  throw std::logic_error("field table: " + std::string(path) + ": " + std::string(what));
}

// Takes the first segment off `rest`.
Segment TakeSegment(std::string_view& rest, std::string_view path) {
  if (rest.starts_with(kAnyElement) || rest.starts_with(kAnyEntry)) {
    const std::string_view key = rest.substr(0, 2);
    rest.remove_prefix(2);
    return {key, key == kAnyElement ? JsonType::kList : JsonType::kMap};
  }
  if (rest.starts_with("['")) {
    const std::size_t end = rest.find("']");
    if (end == std::string_view::npos) Mistake(path, "no end of a quoted key");
    const std::string_view key = rest.substr(2, end - 2);
    rest.remove_prefix(end + 2);
    return {key, JsonType::kMap};
  }
  if (rest.starts_with('.')) rest.remove_prefix(1);
  const std::size_t end = std::min(rest.find_first_of(".[{"), rest.size());
  if (end == 0) Mistake(path, "an empty key");
  const std::string_view key = rest.substr(0, end);
  rest.remove_prefix(end);
  return {key, JsonType::kObject};
}

std::string ChildPath(const FieldNode& parent, std::string_view key) {
  if (parent.type == JsonType::kList || key == kAnyEntry) return parent.path + std::string(key);
  if (parent.type == JsonType::kMap) return parent.path + "['" + std::string(key) + "']";
  return parent.path.empty() ? std::string(key) : parent.path + "." + std::string(key);
}

// The child that already exists, or a new one.
FieldNode& Child(FieldNode& parent, std::string_view key, JsonType type) {
  const auto found = std::find_if(parent.children.begin(), parent.children.end(),
                                  [&](const FieldNode& child) { return child.key == key; });
  if (found != parent.children.end()) {
    if (found->type != type) Mistake(found->path, "two types");
    return *found;
  }
  FieldNode child;
  child.key = key;
  child.path = ChildPath(parent, key);
  child.type = type;
  return parent.children.emplace_back(std::move(child));
}

void AppendRows(const FieldNode& node, std::vector<FieldRow>& rows) {
  if (node.declared) rows.push_back({node.path, node.type});
  for (const FieldNode& child : node.children) AppendRows(child, rows);
}

void SetPaths(FieldNode& node) {
  for (FieldNode& child : node.children) {
    child.path = ChildPath(node, child.key);
    SetPaths(child);
  }
}

template <class... Arguments>
void Redirect(std::function<void(void*, Arguments...)>& action,
              const std::function<void*(void*)>& member) {
  if (!action) return;
  action = [inner = std::move(action), member](void* target, Arguments... arguments) {
    inner(member(target), arguments...);
  };
}

void RedirectAll(FieldNode& node, const std::function<void*(void*)>& member) {
  if (node.enter) {  // all below it has a target of its own
    node.enter = [inner = std::move(node.enter), member](void* target, std::string_view name) {
      return inner(member(target), name);
    };
    return;
  }
  Redirect(node.text, member);
  Redirect(node.boolean, member);
  Redirect(node.integer, member);
  Redirect(node.raw, member);
  Redirect(node.begin, member);
  Redirect(node.end, member);
  for (FieldNode& child : node.children) RedirectAll(child, member);
}

}  // namespace

std::string_view ToString(JsonType type) {
  switch (type) {
    case JsonType::kString:
      return "string";
    case JsonType::kBool:
      return "bool";
    case JsonType::kInt:
      return "int";
    case JsonType::kObject:
      return "object";
    case JsonType::kList:
      return "list";
    case JsonType::kMap:
      return "map";
  }
  return "unknown";
}

const FieldNode* FieldNode::Find(std::string_view name) const {
  const FieldNode* any = nullptr;
  for (const FieldNode& child : children) {
    if (child.key == name) return &child;
    if (type == JsonType::kMap && child.key == kAnyEntry) any = &child;
  }
  return any;
}

std::vector<FieldRow> FieldTree::Rows() const {
  std::vector<FieldRow> rows;
  AppendRows(root_, rows);
  return rows;
}

FieldNode& FieldTree::Row(std::string_view path, JsonType type) {
  FieldNode* node = &root_;
  std::string_view rest = path;
  while (!rest.empty()) {
    const Segment segment = TakeSegment(rest, path);
    if (node->type != segment.parent) Mistake(path, "two types on the way");
    JsonType next = type;
    if (!rest.empty()) {
      std::string_view ahead = rest;
      next = TakeSegment(ahead, path).parent;
    }
    node = &Child(*node, segment.key, next);
    if (node->enter) Mistake(path, "inside the elements of another row");
  }
  if (node->declared || node == &root_) Mistake(path, "two rows");
  node->declared = true;
  return *node;
}

FieldNode& FieldTree::Element(FieldNode& container, JsonType type, bool declared) {
  if (!container.children.empty()) Mistake(container.path, "other rows go through its elements");
  FieldNode& node =
      Child(container, container.type == JsonType::kList ? kAnyElement : kAnyEntry, type);
  node.declared = declared;
  return node;
}

void FieldTree::Graft(FieldNode& node, const FieldTree& table) {
  if (!node.children.empty()) Mistake(node.path, "other rows are inside it already");
  node.children = table.root_.children;
  SetPaths(node);
}

void FieldTree::GraftMember(FieldNode& node, const FieldTree& table,
                            const std::function<void*(void*)>& member) {
  Graft(node, table);
  for (FieldNode& child : node.children) RedirectAll(child, member);
}

}  // namespace dra::api
