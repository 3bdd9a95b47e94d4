// SPDX-License-Identifier: Apache-2.0
//
// FieldTable<T>: which JSON values of a kind go into which member of T, one row per value. It is
// all that is written by hand per kind; the Decoder runs it, and a test can walk its rows through
// the OpenAPI document of a server to see that every path exists there with the same type.
//
// Paths: "spec.nodeName"; "spec.resourceClaims[].name" goes through every element of a list;
// "metadata.annotations['example.com/x']" is one entry of a map; "{}" stands for any entry. A row
// that cannot be (two rows for one value, a value with two types) throws std::logic_error when the
// table is built, which is at the first use of the kind: a mistake in the program.
//
// Built once, immutable afterwards, shared by all threads.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace dra::api {

enum class JsonType { kString, kBool, kInt, kObject, kList, kMap };

std::string_view ToString(JsonType type);

// A table as the tree that the JSON has. Type-erased, so that one projection serves all kinds:
// `target` is the struct that the row belongs to.
struct FieldNode {
  std::string key;  // in the parent; "[]" and "{}" for the elements of a list or map
  std::string path;
  JsonType type = JsonType::kObject;
  bool declared = false;  // a row, and not only on the way to one

  // For the values of this node: where the actions and children below write to, if not to the
  // target that the parent writes to. `name` is the key of a map's entry.
  std::function<void*(void* target, std::string_view name)> enter;

  // What is done with the value. A node of a scalar type has the one that fits its type.
  std::function<void(void* target, std::string_view text)> text;
  std::function<void(void* target, bool value)> boolean;
  std::function<void(void* target, std::int64_t value)> integer;
  std::function<void(void* target, std::string_view json)> raw;  // the JSON text of the whole value
  std::function<void(void* target)> begin;                       // before the children
  std::function<void(void* target)> end;                         // after them

  std::vector<FieldNode> children;

  // The child for `name`, or the child for any name, or null.
  const FieldNode* Find(std::string_view name) const;
};

struct FieldRow {
  std::string path;
  JsonType type;

  bool operator==(const FieldRow&) const = default;
};

// The parts of FieldTable that do not depend on T.
class FieldTree {
 public:
  const FieldNode& root() const { return root_; }

  // Every row, those of nested tables with their full path.
  std::vector<FieldRow> Rows() const;

 protected:
  // A new row. Valid until the next one is made.
  FieldNode& Row(std::string_view path, JsonType type);
  // The node of the elements of `container`.
  static FieldNode& Element(FieldNode& container, JsonType type, bool declared);
  // The rows of `table` below `node`.
  static void Graft(FieldNode& node, const FieldTree& table);
  // The same for a table whose target is found by `member` from the target of `node`.
  static void GraftMember(FieldNode& node, const FieldTree& table,
                          const std::function<void*(void*)>& member);

 private:
  FieldNode root_;
};

template <class T>
class FieldTable : public FieldTree {
 public:
  // In these three `to` is a data member of T, or a function of (T&, value). A string is stored
  // without spare capacity.
  template <class To>
  FieldTable& String(std::string_view path, To to) {
    Row(path, JsonType::kString).text = [to](void* target, std::string_view text) {
      Store(target, to, std::string(text));
    };
    return *this;
  }
  template <class To>
  FieldTable& Bool(std::string_view path, To to) {
    Row(path, JsonType::kBool).boolean = [to](void* target, bool value) {
      Store(target, to, value);
    };
    return *this;
  }
  template <class To>
  FieldTable& Int(std::string_view path, To to) {
    Row(path, JsonType::kInt).integer = [to](void* target, std::int64_t value) {
      Store(target, to, value);
    };
    return *this;
  }

  // The JSON text of an object or map, checked to be well-formed. Rows inside it may follow.
  FieldTable& Raw(std::string_view path, JsonType type, std::string T::*to) {
    Row(path, type).raw = [to](void* target, std::string_view json) {
      Store(target, to, std::string(json));
    };
    return *this;
  }

  // Whether there is an object. Rows inside it may follow.
  FieldTable& Present(std::string_view path, bool T::*to) {
    Row(path, JsonType::kObject).begin = [to](void* target) { Store(target, to, true); };
    return *this;
  }

  FieldTable& Strings(std::string_view path, std::vector<std::string> T::*to) {
    FieldNode& list = Vector(path, to);
    Element(list, JsonType::kString, true).text = [to](void* target, std::string_view text) {
      (static_cast<T*>(target)->*to).emplace_back(text);
    };
    return *this;
  }

  // A list of objects.
  template <class E>
  FieldTable& List(std::string_view path, std::vector<E> T::*to, const FieldTable<E>& element) {
    FieldNode& node = Element(Vector(path, to), JsonType::kObject, false);
    node.enter = [to](void* target, std::string_view) -> void* {
      return &(static_cast<T*>(target)->*to).emplace_back();
    };
    Graft(node, element);
    return *this;
  }

  // A map from names to objects.
  template <class E>
  FieldTable& Map(std::string_view path, std::map<std::string, E> T::*to,
                  const FieldTable<E>& element) {
    FieldNode& map = Row(path, JsonType::kMap);
    map.begin = [to](void* target) { (static_cast<T*>(target)->*to).clear(); };
    FieldNode& node = Element(map, JsonType::kObject, false);
    node.enter = [to](void* target, std::string_view name) -> void* {
      return &(static_cast<T*>(target)->*to)[std::string(name)];
    };
    Graft(node, element);
    return *this;
  }

  // An object with a table of its own. More rows of T inside it may follow.
  template <class M>
  FieldTable& Object(std::string_view path, M T::*to, const FieldTable<M>& member) {
    GraftMember(Row(path, JsonType::kObject), member,
                [to](void* target) -> void* { return &(static_cast<T*>(target)->*to); });
    return *this;
  }

 private:
  template <class To, class Value>
  static void Store(void* target, To to, Value value) {
    T& object = *static_cast<T*>(target);
    if constexpr (std::is_member_object_pointer_v<To>) {
      using Member = std::remove_reference_t<decltype(object.*to)>;
      object.*to = Member(std::move(value));
    } else {
      to(object, std::move(value));
    }
  }

  template <class E>
  FieldNode& Vector(std::string_view path, std::vector<E> T::*to) {
    FieldNode& list = Row(path, JsonType::kList);
    // A repeated key replaces the list.
    list.begin = [to](void* target) { (static_cast<T*>(target)->*to).clear(); };
    list.end = [to](void* target) { (static_cast<T*>(target)->*to).shrink_to_fit(); };
    return list;
  }
};

// The table of a kind. Specialized in the .cc of the kind; the list of kinds is in decoder.h.
template <class T>
const FieldTable<T>& Fields();

}  // namespace dra::api
