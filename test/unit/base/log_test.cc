// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <cmath>
#include <limits>
#include <random>
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace dra::log {
namespace {

std::string Text(std::string_view message, Fields fields = {}) {
  return FormatForTest(Format::kText, message, fields);
}
std::string Json(std::string_view message, Fields fields = {}) {
  return FormatForTest(Format::kJson, message, fields);
}

// What stderr gets while `write` runs.
template <class Function>
std::string Capture(const Options& options, Function write) {
  Configure(options);
  testing::internal::CaptureStderr();
  write();
  std::string captured = testing::internal::GetCapturedStderr();
  Configure({});
  return captured;
}

TEST(LogTest, WritesFieldsLikeKlog) {
  EXPECT_EQ(Text("claim created", {{"pod", "ml/p"}, {"count", 3}, {"dry", true}}),
            R"("claim created" pod="ml/p" count=3 dry=true)");
  EXPECT_EQ(Json("claim created", {{"pod", "ml/p"}, {"count", 3}, {"dry", true}}),
            R"({"msg":"claim created","pod":"ml/p","count":3,"dry":true})");
}

TEST(LogTest, DescribesErrors) {
  const Error error(Code::kNotFound, "no \"x\"");
  EXPECT_EQ(Text("failed", {{"err", error}}), R"("failed" err="NotFound: no \"x\"")");
  EXPECT_EQ(Json("failed", {{"err", error}}), R"({"msg":"failed","err":"NotFound: no \"x\""})");
}

TEST(LogTest, LetsNoValueForgeALineOrAField) {
  const std::string value = "x\" admin=\"true\nE1201 00:00:00 forged\r\t\\";
  EXPECT_EQ(Text("m", {{"k", value}}),
            R"("m" k="x\" admin=\"true\nE1201 00:00:00 forged\u000d\t\\")");
  EXPECT_EQ(nlohmann::json::parse(Json("m", {{"k", value}})).at("k").get<std::string>(), value);
  EXPECT_EQ(nlohmann::json::parse(Json("m\",\"v\":9")).size(), 1U);
}

TEST(LogTest, EscapesTerminalSequences) {
  EXPECT_EQ(Text("m", {{"k", "\x1b[31m\x7f"}}), R"("m" k="\u001b[31m\u007f")");
  EXPECT_EQ(Text("m", {{"k",
                        "\xC2\x9B"
                        "31m"}}),
            R"("m" k="\u009b31m")");  // CSI in one character
}

TEST(LogTest, EscapesInvisibleAndDirectionMarks) {
  EXPECT_EQ(Text("m", {{"k",
                        "\xE2\x80\xAE"
                        "a\xE2\x80\xA8\xEF\xBB\xBF"}}),
            R"("m" k="\u202ea\u2028\ufeff")");
}

TEST(LogTest, EscapesBytesThatAreNotUtf8) {
  for (const char* bytes :
       {"\xFF", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80"}) {
    const std::string text = Text("m", {{"k", bytes}});
    EXPECT_NE(text.find("\\x"), std::string::npos) << text;
    const std::string json = Json("m", {{"k", bytes}});
    ASSERT_TRUE(nlohmann::json::accept(json)) << json;
    EXPECT_TRUE(nlohmann::json::parse(json).at("k").get<std::string>().starts_with("\\x"));
  }
}

TEST(LogTest, LeavesOrdinaryUnicodeAlone) {
  EXPECT_EQ(Text("m", {{"k", "\xC3\xBC \xE6\x97\xA5 \xF0\x9F\x98\x80"}}),
            "\"m\" k=\"\xC3\xBC \xE6\x97\xA5 \xF0\x9F\x98\x80\"");
}

TEST(LogTest, KeepsZeroBytesInsideTheLine) {
  EXPECT_EQ(Text("m", {{"k", std::string("a\0b", 3)}}), R"("m" k="a\u0000b")");
}

TEST(LogTest, CutsValuesAtFourKibibytes) {
  const std::string text = Text("m", {{"k", std::string(10'000, 'x')}});
  EXPECT_EQ(text.size(), std::string("\"m\" k=\"\"").size() + 4096);
  EXPECT_TRUE(text.ends_with("xxx...\""));
}

TEST(LogTest, QuotesNumbersThatJsonDoesNotKnow) {
  const std::string json = Json("m", {{"a", std::nan("")},
                                      {"b", std::numeric_limits<double>::infinity()},
                                      {"c", -1.5},
                                      {"d", std::numeric_limits<std::int64_t>::min()}});
  const auto parsed = nlohmann::json::parse(json);
  EXPECT_TRUE(parsed.at("a").is_string());
  EXPECT_EQ(parsed.at("b"), "inf");
  EXPECT_EQ(parsed.at("c"), -1.5);
  EXPECT_EQ(parsed.at("d"), std::numeric_limits<std::int64_t>::min());
}

TEST(LogTest, MakesOneLineOfAnyBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string value(random() % 40, ' ');
    for (char& c : value) c = static_cast<char>(random() & 0xFFU);
    for (const std::string& line : {Text(value, {{"k", value}}), Json(value, {{"k", value}})}) {
      for (const char c : line) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20) << round;
    }
    ASSERT_TRUE(nlohmann::json::accept(Json(value, {{"k", value}}))) << round;
  }
}

TEST(LogTest, PutsAKlogHeaderBeforeText) {
  const std::string line = Capture({}, [] { Warning("odd {} %s", {{"k", "{0}"}}); });
  const std::regex expected(R"(W\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+\] "odd \{\} %s" k="\{0\}")"
                            "\n");
  EXPECT_TRUE(std::regex_match(line, expected)) << line;
  EXPECT_TRUE(Capture({}, [] { Info("m"); }).starts_with("I"));
  EXPECT_TRUE(Capture({}, [] { Failure("m"); }).starts_with("E"));
}

TEST(LogTest, WritesKubernetesJson) {
  const std::string line = Capture({.format = Format::kJson}, [] { Info("m", {{"k", 1}}); });
  ASSERT_TRUE(line.ends_with("}\n"));
  const auto parsed = nlohmann::json::parse(line);
  // Milliseconds with a fraction: later than 2020, earlier than 2100.
  EXPECT_TRUE(parsed.at("ts").is_number_float());
  EXPECT_GT(parsed.at("ts").get<double>(), 1.5e12);
  EXPECT_LT(parsed.at("ts").get<double>(), 4.2e12);
  EXPECT_EQ(parsed.at("v"), 0);
  EXPECT_EQ(parsed.at("msg"), "m");
  EXPECT_EQ(parsed.at("k"), 1);
}

TEST(LogTest, MarksWarningsAndErrorsInJson) {
  const auto parse = [](void (*write)(std::string_view, Fields)) {
    return nlohmann::json::parse(Capture({.format = Format::kJson}, [&] { write("m", {}); }));
  };
  EXPECT_EQ(parse(Warning).at("level"), "warning");
  EXPECT_EQ(parse(Failure).at("level"), "error");
  EXPECT_FALSE(parse(Failure).contains("v"));
  EXPECT_FALSE(parse(Info).contains("level"));
}

TEST(LogTest, AsksTheVerbosity) {
  Configure({.verbosity = 4});
  EXPECT_TRUE(V(0));
  EXPECT_TRUE(V(4));
  EXPECT_FALSE(V(5));
  Configure({});
  EXPECT_FALSE(V(1));
}

}  // namespace
}  // namespace dra::log
