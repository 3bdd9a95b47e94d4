// SPDX-License-Identifier: Apache-2.0
//
// Lines are formatted and escaped here; spdlog only carries the finished bytes to stderr, one write
// per line (its own pattern would escape nothing).
#include "base/log.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strings.h"

namespace dra::log {
namespace {

constexpr std::size_t kMaxValue = 4096;  // bytes of one value before escaping

enum class Level { kInfo, kWarning, kError, kVerbose };

std::atomic<Format> g_format = Format::kText;
std::atomic<int> g_verbosity = 0;

// Never destroyed: threads may log until the process is gone.
spdlog::logger& Sink() {
  static spdlog::logger* const logger = [] {
    auto* made = new spdlog::logger("dra", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->set_level(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;  // 0: the bytes are not UTF-8
};

// The code point at the front of `text`, which is not empty. Overlong forms, surrogates and values
// above U+10FFFF are not UTF-8.
CodePoint Decode(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xF0 ? 4 : (first >= 0xE0 ? 3 : 2);
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return {};
  std::uint32_t value = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte & 0x3FU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[size] || surrogate || value > 0x10FFFF) return {};
  return {value, size};
}

// What a terminal or a viewer could take as a command: controls (with ESC, and C1's CSI), line
// separators, and marks that change the direction of text or are not seen.
bool IsDangerous(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

void AppendHex(std::string& out, std::string_view prefix, std::uint32_t value, int digits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += prefix;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += kHex[(value >> shift) & 0xFU];
}

// In double quotes. Valid JSON in either format; bytes that are not UTF-8 become the text \xNN,
// which JSON must write with two backslashes.
void AppendQuoted(std::string& out, std::string_view text, Format format) {
  out += '"';
  while (!text.empty()) {
    const CodePoint c = Decode(text);
    if (c.size == 0) {
      const auto byte = static_cast<unsigned char>(text.front());
      AppendHex(out, format == Format::kJson ? "\\\\x" : "\\x", byte, 2);
      text.remove_prefix(1);
      continue;
    }
    if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += text.front();
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (IsDangerous(c.value)) {
      AppendHex(out, "\\u", c.value, 4);
    } else {
      out += text.substr(0, c.size);
    }
    text.remove_prefix(c.size);
  }
  out += '"';
}

// True for what std::to_string makes of a finite number, and for true and false.
bool IsJsonLiteral(std::string_view value) {
  if (value == "true" || value == "false") return true;
  return !value.empty() && value.find_first_not_of("-.0123456789") == std::string_view::npos;
}

void AppendValue(std::string& out, const Field& field, Format format) {
  if (field.quoted || !IsJsonLiteral(field.value)) {
    AppendQuoted(out, Truncate(field.value, kMaxValue), format);
  } else {
    out += field.value;
  }
}

void AppendText(std::string& out, std::string_view message, Fields fields) {
  AppendQuoted(out, Truncate(message, kMaxValue), Format::kText);
  for (const Field& field : fields) {
    out += ' ';
    // Keys are literals of ours and stay bare, as klog has it.
    out += field.key;
    out += '=';
    AppendValue(out, field, Format::kText);
  }
}

// The members of an object, without braces.
void AppendJson(std::string& out, std::string_view message, Fields fields) {
  out += "\"msg\":";
  AppendQuoted(out, Truncate(message, kMaxValue), Format::kJson);
  for (const Field& field : fields) {
    out += ',';
    AppendQuoted(out, field.key, Format::kJson);
    out += ':';
    AppendValue(out, field, Format::kJson);
  }
}

// klog: "I1201 05:38:00.123456    4711] ".
std::string TextHeader(Level level, Clock::Wall now) {
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::microseconds>(now - day));
  const char letter = level == Level::kError ? 'E' : (level == Level::kWarning ? 'W' : 'I');
  char text[64];
  std::snprintf(text, sizeof text, "%c%02u%02u %02d:%02d:%02d.%06d %7d] ", letter,
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()), static_cast<int>(getpid()));
  return text;
}

// Kubernetes' JSON format: ts in milliseconds as a float; errors have no v. klog has no word for
// warnings, so they and errors get a level.
std::string JsonHeader(Level level, Clock::Wall now) {
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
  char text[64];
  std::snprintf(text, sizeof text, "{\"ts\":%lld.%03d,", static_cast<long long>(micros / 1000),
                static_cast<int>(micros % 1000));
  std::string out = text;
  switch (level) {
    case Level::kInfo:
      return out + "\"v\":0,";
    case Level::kVerbose:  // the exact level is not known here
      return out + "\"v\":1,";
    case Level::kWarning:
      return out + "\"v\":0,\"level\":\"warning\",";
    case Level::kError:
      return out + "\"level\":\"error\",";
  }
  return out;
}

void Write(Level level, std::string_view message, Fields fields) {
  const Clock::Wall now = SystemClock().WallNow();
  std::string line;
  if (g_format == Format::kJson) {
    line = JsonHeader(level, now);
    AppendJson(line, message, fields);
    line += '}';
  } else {
    line = TextHeader(level, now);
    AppendText(line, message, fields);
  }
  // The overload without format arguments: braces in the line mean nothing.
  Sink().log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

void Configure(const Options& options) {
  g_format = options.format;
  g_verbosity = options.verbosity;
}

bool V(int level) { return level <= g_verbosity.load(std::memory_order_relaxed); }

void Info(std::string_view message, Fields fields) { Write(Level::kInfo, message, fields); }
void Warning(std::string_view message, Fields fields) { Write(Level::kWarning, message, fields); }
void Failure(std::string_view message, Fields fields) { Write(Level::kError, message, fields); }
void Verbose(std::string_view message, Fields fields) { Write(Level::kVerbose, message, fields); }

std::string FormatForTest(Format format, std::string_view message, Fields fields) {
  std::string out;
  if (format == Format::kText) {
    AppendText(out, message, fields);
    return out;
  }
  out = "{";
  AppendJson(out, message, fields);
  return out + "}";
}

}  // namespace dra::log
