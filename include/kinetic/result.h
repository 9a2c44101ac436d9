#pragma once

#include "kinetic/error.h"

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace kinetic::inline v0 {

template <typename T>
class Result;

/// An error that becomes the Result of a function: `return Failure(other.error());`
class Failure {
 public:
  explicit Failure(Error error) : error_(std::move(error)) {}

  const Error& error() const& { return error_; }
  Error& error() & { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  Error error_;
};

/// Whether a type is a Result.
template <typename T>
inline constexpr bool kIsResult = false;
template <typename T>
inline constexpr bool kIsResult<Result<T>> = true;

/// The implementation of Result.
namespace result {

/// Prints that a function of a Result was called that needs a value, or an error, and ends the
/// program.
///
/// @param error  what the Result contains; null: a value.
[[noreturn]] KINETIC_EXPORT void EndProgram(const char* call, const Error* error);
/// Throws an ErrorException (kinetic/exceptions.h).
[[noreturn]] KINETIC_EXPORT void Throw(Error error);

template <typename T, typename From>
concept ValueFor =
    !std::same_as<std::remove_cvref_t<From>, Failure> && !kIsResult<std::remove_cvref_t<From>> &&
    !std::same_as<std::remove_cvref_t<From>, std::in_place_t> && std::constructible_from<T, From>;

template <typename T, typename From>
concept OtherResultFor =
    !std::same_as<T, From> && !std::is_void_v<From> && std::constructible_from<T, From>;

/// Calls a function with the value of a result, or without arguments for a Status.
template <typename R, typename F>
decltype(auto) CallWithValue(R&& result, F&& function) {
  if constexpr (std::is_void_v<typename std::remove_cvref_t<R>::value_type>)
    return std::invoke(std::forward<F>(function));
  else
    return std::invoke(std::forward<F>(function), *std::forward<R>(result));
}

template <typename R, typename F>
auto AndThen(R&& result, F&& function) {
  using Next = std::remove_cvref_t<decltype(CallWithValue(std::forward<R>(result),
                                                          std::forward<F>(function)))>;
  static_assert(kIsResult<Next>,
                "the function of and_then must return a Result: use transform for one that returns "
                "a plain value");
  if (!result) return Next(Failure(std::forward<R>(result).error()));
  return Next(CallWithValue(std::forward<R>(result), std::forward<F>(function)));
}

template <typename R, typename F>
auto Transform(R&& result, F&& function) {
  using Value = std::remove_cvref_t<decltype(CallWithValue(std::forward<R>(result),
                                                           std::forward<F>(function)))>;
  static_assert(!kIsResult<Value>, "the function of transform returns a Result: use and_then");
  if (!result) return Result<Value>(Failure(std::forward<R>(result).error()));
  if constexpr (std::is_void_v<Value>) {
    CallWithValue(std::forward<R>(result), std::forward<F>(function));
    return Result<Value>();
  } else {
    return Result<Value>(CallWithValue(std::forward<R>(result), std::forward<F>(function)));
  }
}

template <typename R, typename F>
auto OrElse(R&& result, F&& function) {
  using Same = std::remove_cvref_t<R>;
  static_assert(
      std::convertible_to<
          decltype(std::invoke(std::forward<F>(function), std::forward<R>(result).error())), Same>,
      "the function of or_else must return the same Result, or a value for it");
  if (result) return Same(std::forward<R>(result));
  return Same(std::invoke(std::forward<F>(function), std::forward<R>(result).error()));
}

template <typename R, typename F>
auto MapError(R&& result, F&& function) {
  using Same = std::remove_cvref_t<R>;
  static_assert(
      std::convertible_to<
          decltype(std::invoke(std::forward<F>(function), std::forward<R>(result).error())), Error>,
      "the function of map_error must return an Error: use or_else for one that returns "
      "a Result");
  if (result) return Same(std::forward<R>(result));
  return Same(Failure(std::invoke(std::forward<F>(function), std::forward<R>(result).error())));
}

/// The functions of a Result that call another function.
template <typename Derived>
class Chain {
 public:
  /// Returns the Result of `function` for the value, or the error:
  /// `client.Submit(spec).and_then([](const Job& job) { return job.Wait(); })`.
  template <typename F>
  auto and_then(F&& function) const& {
    return AndThen(self(), std::forward<F>(function));
  }
  template <typename F>
  auto and_then(F&& function) && {
    return AndThen(std::move(*this).self(), std::forward<F>(function));
  }

  /// Returns what `function` returns for the value, as a Result, or the error.
  template <typename F>
  auto transform(F&& function) const& {
    return Transform(self(), std::forward<F>(function));
  }
  template <typename F>
  auto transform(F&& function) && {
    return Transform(std::move(*this).self(), std::forward<F>(function));
  }

  /// Returns the value, or the Result of `function` for the error.
  template <typename F>
  auto or_else(F&& function) const& {
    return OrElse(self(), std::forward<F>(function));
  }
  template <typename F>
  auto or_else(F&& function) && {
    return OrElse(std::move(*this).self(), std::forward<F>(function));
  }

  /// Returns the value, or the error that `function` returns for the error.
  template <typename F>
  auto map_error(F&& function) const& {
    return MapError(self(), std::forward<F>(function));
  }
  template <typename F>
  auto map_error(F&& function) && {
    return MapError(std::move(*this).self(), std::forward<F>(function));
  }

 private:
  friend Derived;
  Chain() = default;
  const Derived& self() const& { return static_cast<const Derived&>(*this); }
  Derived&& self() && { return static_cast<Derived&&>(*this); }
};

}  // namespace result

/// A value or an Error. Every function that can fail returns one; nothing throws, except value().
///
/// Absence that is normal (a cache probe, a missing object) is `Result<std::optional<T>>`, not
/// kNotFound.
///
/// Reading a value with `*` or `->` from a Result with an error, and error() of one with a value, end
/// the program with a message.
template <typename T>
class [[nodiscard]] Result : public result::Chain<Result<T>> {
 public:
  using value_type = T;
  using error_type = Error;

  Result() = default;
  template <typename From = T>
    requires result::ValueFor<T, From>
  explicit(!std::convertible_to<From, T>) Result(From&& value)
      : content_(std::in_place_index<0>, std::forward<From>(value)) {}
  Result(Failure failure) : content_(std::in_place_index<1>, std::move(failure).error()) {}
  template <typename From>
    requires result::OtherResultFor<T, From>
  explicit(!std::convertible_to<From, T>) Result(Result<From> other)
      : content_(std::in_place_index<1>) {
    if (other)
      content_.template emplace<0>(*std::move(other));
    else
      content_.template emplace<1>(std::move(other).error());
  }

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  const T& operator*() const& { return Get(*this, "operator*"); }
  T& operator*() & { return Get(*this, "operator*"); }
  /// Returns the value itself, so that `for (const auto& job : *client.List())` is valid.
  T operator*() && { return std::move(Get(*this, "operator*")); }
  const T* operator->() const { return &Get(*this, "operator->"); }
  T* operator->() { return &Get(*this, "operator->"); }

  /// Returns the value, or throws the error as ErrorException (kinetic/exceptions.h).
  const T& value() const& { return GetOrThrow(*this); }
  T& value() & { return GetOrThrow(*this); }
  T value() && { return std::move(GetOrThrow(*this)); }

  template <typename Other>
  T value_or(Other&& other) const& {
    return has_value() ? **this : static_cast<T>(std::forward<Other>(other));
  }
  template <typename Other>
  T value_or(Other&& other) && {
    return has_value() ? *std::move(*this) : static_cast<T>(std::forward<Other>(other));
  }

  const Error& error() const& { return GetError(*this); }
  Error& error() & { return GetError(*this); }
  Error&& error() && { return std::move(GetError(*this)); }

  friend bool operator==(const Result& a, const Result& b)
    requires std::equality_comparable<T>
  {
    return a.content_ == b.content_;
  }

 private:
  template <typename Self>
  static auto& Get(Self& self, const char* call) {
    auto* const value = std::get_if<0>(&self.content_);
    if (value == nullptr) [[unlikely]]
      result::EndProgram(call, std::get_if<1>(&self.content_));
    return *value;
  }
  template <typename Self>
  static auto& GetOrThrow(Self& self) {
    if (!self) [[unlikely]]
      result::Throw(self.error());
    return *self;
  }
  template <typename Self>
  static auto& GetError(Self& self) {
    auto* const error = std::get_if<1>(&self.content_);
    if (error == nullptr) [[unlikely]]
      result::EndProgram("error()", nullptr);
    return *error;
  }

  std::variant<T, Error> content_;
};

/// Success or an Error.
template <>
class [[nodiscard]] Result<void> : public result::Chain<Result<void>> {
 public:
  using value_type = void;
  using error_type = Error;

  Result() = default;
  Result(Failure failure) : error_(std::move(failure).error()) {}

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }

  void operator*() const {
    if (error_) [[unlikely]]
      result::EndProgram("operator*", &*error_);
  }
  /// Throws the error as ErrorException (kinetic/exceptions.h).
  void value() const {
    if (error_) [[unlikely]]
      result::Throw(*error_);
  }

  const Error& error() const& { return CheckError(), *error_; }
  Error& error() & { return CheckError(), *error_; }
  Error&& error() && { return CheckError(), *std::move(error_); }

  bool operator==(const Result& other) const { return error_ == other.error_; }

 private:
  void CheckError() const {
    if (!error_) [[unlikely]]
      result::EndProgram("error()", nullptr);
  }

  std::optional<Error> error_;
};

using Status = Result<void>;

/// `return Fail(ErrorCode::kNotFound, "job k-123 does not exist", "kinetic ps lists the jobs");`
inline Failure Fail(ErrorCode code, std::string message, std::string hint = {}) {
  return Failure(Error{code, std::move(message), std::move(hint), {}});
}

}  // namespace kinetic::inline v0
