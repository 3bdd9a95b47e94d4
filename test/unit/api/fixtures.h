// SPDX-License-Identifier: Apache-2.0
//
// The objects in data/, as compact JSON text like the API server sends it.
#pragma once

#include <string>
#include <string_view>

namespace dra::test {

// data/<name>.json without insignificant white space, members in the order of the file.
std::string Fixture(std::string_view name);

// data/<name>.json byte by byte.
std::string FixtureText(std::string_view name);

// {"type":"<type>","object":<object>}
std::string WatchLine(std::string_view type, std::string_view object);

}  // namespace dra::test
