// SPDX-License-Identifier: Apache-2.0
//
// Structured log lines: a constant message and key/value fields, like klog. Values are escaped
// here, so no object name or server message can forge a line or a field. The only user of spdlog.
//
//   log::Info("claim created", {{"pod", pod_key}, {"claim", name}});
//   if (log::V(5)) log::Verbose("reconciled", {{"item", item}});
//
// Thread-safe. Configure() is called once, before threads start.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/error.h"

namespace dra::log {

enum class Format { kText, kJson };

struct Options {
  Format format = Format::kText;
  int verbosity = 0;  // klog's -v: 0 quiet, 2 operations, 4 decisions, 6 everything
};

void Configure(const Options& options);

// True if lines of verbosity `level` are written. Ask before building expensive fields.
bool V(int level);

struct Field {
  Field(std::string_view k, std::string_view v) : key(k), value(v), quoted(true) {}
  Field(std::string_view k, const char* v) : key(k), value(v), quoted(true) {}
  Field(std::string_view k, const std::string& v) : key(k), value(v), quoted(true) {}
  Field(std::string_view k, bool v) : key(k), value(v ? "true" : "false"), quoted(false) {}
  template <class Number>
  requires(std::integral<Number> || std::floating_point<Number>) Field(std::string_view k, Number v)
      : key(k), value(std::to_string(v)), quoted(false) {}
  Field(std::string_view k, const dra::Error& e) : key(k), value(e.Describe()), quoted(true) {}

  std::string_view key;  // a literal
  std::string value;
  bool quoted;
};

using Fields = std::initializer_list<Field>;

void Info(std::string_view message, Fields fields = {});
void Warning(std::string_view message, Fields fields = {});
void Failure(std::string_view message, Fields fields = {});  // level "error"
void Verbose(std::string_view message, Fields fields = {});  // callers ask V() first

// The text or JSON of one line, without time and location; what the sinks print. For tests.
std::string FormatForTest(Format format, std::string_view message, Fields fields);

}  // namespace dra::log
