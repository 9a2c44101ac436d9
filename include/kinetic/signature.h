#pragma once

#include "kinetic/export.h"
#include "kinetic/fields.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// How the parameters and the returned value of a C++ function become Values, and how a job calls it.
/// The implementation of kinetic/function.h.
namespace kinetic::inline v0::native {

/// Calls a function with arguments from a job.
using Invoker = Result<Value> (*)(void (*function)(), Value::List arguments);

/// "argument 2: expected number, found string"
KINETIC_EXPORT Failure ArgumentError(Error error, std::size_t index);
KINETIC_EXPORT Failure WrongArgumentCount(std::size_t expected, std::size_t found);

/// Ends a call with the error that a function returned. Throws, even for a function that was compiled
/// with -fno-exceptions, so that the job fails with it as with an exception.
[[noreturn]] KINETIC_EXPORT void ThrowReturned(Error error);

/// The type that holds an argument for a parameter.
template <typename Parameter>
struct Held {
  static_assert(!std::is_pointer_v<Parameter>,
                "a function that runs as a job cannot have a pointer as a parameter: use "
                "std::string, std::span<const T>, or the object itself");
  using Type = Parameter;
};
template <typename T>
struct Held<std::span<T>> {
  static_assert(std::is_const_v<T>,
                "a function that runs as a job cannot change its arguments: take a "
                "std::span<const T>, and return the result");
  using Type = std::vector<std::remove_const_t<T>>;
};
template <>
struct Held<std::string_view> {
  using Type = std::string;
};
template <typename Parameter>
using HeldArgument = typename Held<std::remove_cvref_t<Parameter>>::Type;

/// The type of the value that a function returns; Result is removed.
template <typename Returned>
struct Unwrapped {
  using Type = std::remove_cvref_t<Returned>;
};
template <typename T>
struct Unwrapped<Result<T>> {
  using Type = T;
};

/// Converts what a function returned. An error becomes an exception.
template <typename Returned>
Value ReturnedValue(Returned&& returned) {
  using Type = std::remove_cvref_t<Returned>;
  if constexpr (!kIsResult<Type>) {
    return ToValue(std::forward<Returned>(returned));
  } else {
    if (!returned) ThrowReturned(returned.error());
    if constexpr (std::is_same_v<Type, Status>)
      return {};
    else
      return ToValue(*std::forward<Returned>(returned));
  }
}

template <typename T>
Result<T> ReadArgument(Value argument, std::size_t index) {
  Result<T> read = std::move(argument).As<T>();
  if (!read) return ArgumentError(std::move(read).error(), index);
  return read;
}

template <typename Returned, typename... Parameters, std::size_t... I>
Result<Value> InvokeWith(Returned (*function)(Parameters...), Value::List arguments,
                         std::index_sequence<I...>) {
  if (arguments.size() != sizeof...(Parameters))
    return WrongArgumentCount(sizeof...(Parameters), arguments.size());
  std::tuple<Result<HeldArgument<Parameters>>...> held{
      ReadArgument<HeldArgument<Parameters>>(std::move(arguments[I]), I)...};
  std::optional<Error> error;
  ((error =
        !error && !std::get<I>(held) ? std::optional(std::get<I>(held).error()) : std::move(error)),
   ...);
  if (error) return Failure(*std::move(error));
  arguments = {};  // releases the memory of arrays
  if constexpr (std::is_void_v<Returned>) {
    function(std::move(*std::get<I>(held))...);
    return Value();
  } else {
    return ReturnedValue(function(std::move(*std::get<I>(held))...));
  }
}

template <typename Returned, typename... Parameters>
Result<Value> Invoke(void (*function)(), Value::List arguments) {
  return InvokeWith(reinterpret_cast<Returned (*)(Parameters...)>(function), std::move(arguments),
                    std::index_sequence_for<Parameters...>());
}

template <typename T>
inline constexpr bool kIsNumber = Integer<T> || FloatingPoint<T>;

/// Returns a number without a fraction as an integer, if one of 64 bits can hold it.
KINETIC_EXPORT Value WholeNumber(double number);

/// Converts an argument to the type of its parameter, and then to a Value. A number that the
/// parameter cannot hold is an error. A Value, as of Client::Put, is converted in the job.
template <typename Parameter, typename Given>
Result<Value> EncodeArgument(Given&& argument) {
  using Argument = std::remove_cvref_t<Given>;
  static_assert(!std::is_same_v<Argument, long double>,
                "no value holds a long double: pass a double");
  using Type = HeldArgument<Parameter>;
  if constexpr (std::is_same_v<Type, Argument> || std::is_same_v<Argument, Value>) {
    return ToValue(std::forward<Given>(argument));
  } else if constexpr (kIsNumber<Type> && kIsNumber<Argument>) {
    Value value(argument);
    if constexpr (Integer<Type> && FloatingPoint<Argument>) value = WholeNumber(argument);
    Result<Type> held = value.As<Type>();
    if (!held) return Failure(std::move(held).error());
    return ToValue(*held);
  } else if constexpr (std::is_convertible_v<const Argument&, Type>) {
    return ToValue(static_cast<Type>(argument));
  } else {
    static_assert(std::is_convertible_v<const Argument&, std::remove_cvref_t<Parameter>>,
                  "an argument does not match the function's parameter");
    const std::remove_cvref_t<Parameter> parameter = argument;
    return ToValue(Type(parameter.begin(), parameter.end()));
  }
}

template <typename Function>
struct Signature {
  static constexpr bool kIsFunction = false;
  using Type = void;
};

template <typename Returned, typename... Parameters>
struct Signature<Returned (*)(Parameters...)> {
  static_assert(((!std::is_lvalue_reference_v<Parameters> ||
                  std::is_const_v<std::remove_reference_t<Parameters>>) &&
                 ...),
                "a function that runs as a job cannot change its arguments: take them by value or "
                "by const reference, and return the result");
  static constexpr bool kIsFunction = true;
  using Type = typename Unwrapped<Returned>::Type;
  static constexpr Invoker kInvoker = &Invoke<Returned, Parameters...>;

  template <typename... Arguments>
  static Result<Value::List> Encode(Arguments&&... arguments) {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters),
                  "the function has another number of parameters; default arguments do not apply");
    if constexpr (sizeof...(Arguments) == sizeof...(Parameters)) {
      Value::List values;
      values.reserve(sizeof...(Arguments));
      std::optional<Failure> wrong;
      [[maybe_unused]] const auto add = [&](Result<Value> value) {
        if (value)
          values.push_back(*std::move(value));
        else if (!wrong)
          wrong = ArgumentError(std::move(value).error(), values.size());
      };
      (add(EncodeArgument<Parameters>(std::forward<Arguments>(arguments))), ...);
      if (wrong) return *std::move(wrong);
      return values;
    }
    return Value::List();
  }
};

template <typename Returned, typename... Parameters>
struct Signature<Returned (*)(Parameters...) noexcept> : Signature<Returned (*)(Parameters...)> {};

/// Returns the address by which a function is found.
template <typename Function>
auto AddressOf(Function function) -> void (*)() {
  return reinterpret_cast<void (*)()>(function);
}

template <typename T>
inline constexpr bool kIsTuple = false;
template <typename... T>
inline constexpr bool kIsTuple<std::tuple<T...>> = true;
template <typename First, typename Second>
inline constexpr bool kIsTuple<std::pair<First, Second>> = true;

/// Returns the arguments of one of several calls.
template <typename Function, typename Input>
Result<Value::List> EncodeInput(const Input& input) {
  const auto encode = [](const auto&... arguments) {
    return Signature<Function>::Encode(arguments...);
  };
  if constexpr (kIsTuple<Input>)
    return std::apply(encode, input);
  else
    return encode(input);
}

}  // namespace kinetic::inline v0::native
