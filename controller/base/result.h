// SPDX-License-Identifier: Apache-2.0
//
// Result<T>: a value or an Error. It has the interface of std::expected (C++23) as far as we use
// it, so that a later switch is an alias. A dropped Result is a compiler warning, and warnings are
// errors in CI.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"

namespace dra {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool has_value() const { return state_.index() == 0; }
  bool ok() const { return has_value(); }
  explicit operator bool() const { return has_value(); }

  // Undefined unless ok(), as in std::expected.
  T& operator*() & { return *std::get_if<0>(&state_); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  // Undefined if ok().
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool has_value() const { return !error_.has_value(); }
  bool ok() const { return has_value(); }
  explicit operator bool() const { return has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace dra

#define DRA_CONCAT_INNER(a, b) a##b
#define DRA_CONCAT(a, b) DRA_CONCAT_INNER(a, b)

// DRA_TRY(auto page, client.List(...)): declares `page`, or returns the error from this function.
#define DRA_TRY(declaration, expression) \
  DRA_TRY_IMPL(DRA_CONCAT(dra_try_, __LINE__), declaration, expression)
#define DRA_TRY_IMPL(temporary, declaration, expression)    \
  auto temporary = (expression);                            \
  if (!temporary.ok()) return std::move(temporary).error(); \
  declaration = *std::move(temporary)

#define DRA_RETURN_IF_ERROR(expression)              \
  do {                                               \
    auto dra_status = (expression);                  \
    if (!dra_status.ok()) return dra_status.error(); \
  } while (false)
