// SPDX-License-Identifier: Apache-2.0
//
// Takes a request's target apart: which kind, which object, which query.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/object_key.h"
#include "support/fake_store.h"

namespace dra::test {

struct FakeRoute {
  std::string path;  // decoded, without the query
  std::map<std::string, std::string> query;
  const FakeKind* kind = nullptr;  // null: the server serves no such path
  api::ObjectKey key;              // an empty name: the collection
  std::string subresource;

  static FakeRoute Parse(std::string_view target);

  // The query value, empty when absent.
  std::string Query(const std::string& name) const;
  bool IsTrue(const std::string& name) const;
};

std::string UrlDecode(std::string_view text);

}  // namespace dra::test
