// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <cctype>
#include <cstdio>

namespace dra {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using std::chrono::sys_days;

std::string FormatSeconds(Clock::Wall time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<seconds>(time) - day);
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

// Reads exactly `digits` digits from the front of `text`; -1 if they are not there.
int TakeNumber(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool TakeChar(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<microseconds> TakeFraction(std::string_view& text) {
  if (!TakeChar(text, '.')) return microseconds(0);
  std::int64_t micros = 0;
  int digits = 0;
  for (; !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0; ++digits) {
    if (digits < 6) micros = micros * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  if (digits == 0 || digits > 12) return std::nullopt;
  for (; digits < 6; ++digits) micros *= 10;
  return microseconds(micros);
}

std::optional<seconds> TakeOffset(std::string_view& text) {
  if (TakeChar(text, 'Z') || TakeChar(text, 'z')) return seconds(0);
  const int sign = TakeChar(text, '+') ? 1 : (TakeChar(text, '-') ? -1 : 0);
  const int hours = sign == 0 ? -1 : TakeNumber(text, 2);
  if (hours < 0 || hours > 23 || !TakeChar(text, ':')) return std::nullopt;
  const int minutes = TakeNumber(text, 2);
  if (minutes < 0 || minutes > 59) return std::nullopt;
  return seconds(sign * (hours * 3600 + minutes * 60));
}

}  // namespace

std::string FormatTime(Clock::Wall time) { return FormatSeconds(time) + "Z"; }

std::string FormatMicroTime(Clock::Wall time) {
  const auto micros =
      std::chrono::duration_cast<microseconds>(time - std::chrono::floor<seconds>(time));
  char text[16];
  std::snprintf(text, sizeof text, ".%06dZ", static_cast<int>(micros.count()));
  return FormatSeconds(time) + text;
}

std::optional<Clock::Wall> ParseTime(std::string_view text) {
  const int year = TakeNumber(text, 4);
  if (year < 0 || !TakeChar(text, '-')) return std::nullopt;
  const int month = TakeNumber(text, 2);
  if (month < 0 || !TakeChar(text, '-')) return std::nullopt;
  const int day = TakeNumber(text, 2);
  if (day < 0 || !(TakeChar(text, 'T') || TakeChar(text, 't'))) return std::nullopt;
  const int hour = TakeNumber(text, 2);
  if (hour < 0 || hour > 23 || !TakeChar(text, ':')) return std::nullopt;
  const int minute = TakeNumber(text, 2);
  if (minute < 0 || minute > 59 || !TakeChar(text, ':')) return std::nullopt;
  const int second = TakeNumber(text, 2);
  if (second < 0 || second > 60) return std::nullopt;
  const auto fraction = TakeFraction(text);
  if (!fraction) return std::nullopt;
  const auto offset = TakeOffset(text);
  if (!offset || !text.empty()) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         seconds(second) + *fraction - *offset;
}

}  // namespace dra
