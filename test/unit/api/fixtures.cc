// SPDX-License-Identifier: Apache-2.0
#include "unit/api/fixtures.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace dra::test {

std::string FixtureText(std::string_view name) {
  const auto path =
      std::filesystem::path(__FILE__).parent_path() / "data" / (std::string(name) + ".json");
  std::ifstream file(path);
  if (!file) throw std::runtime_error("no fixture " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Fixture(std::string_view name) {
  return nlohmann::ordered_json::parse(FixtureText(name)).dump();
}

std::string WatchLine(std::string_view type, std::string_view object) {
  return "{\"type\":\"" + std::string(type) + "\",\"object\":" + std::string(object) + "}";
}

}  // namespace dra::test
