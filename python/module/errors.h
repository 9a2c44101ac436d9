#pragma once

#include "kinetic/result.h"

#include <utility>

namespace kinetic::python {

/// Throws the Python exception for an error: kinetic.Error, or a subclass for its code. Needs the GIL.
[[noreturn]] void Raise(const Error& error);

/// Returns the value of a result, or raises its error. Needs the GIL.
template <typename T>
T ValueOrRaise(Result<T> result) {
  if (!result) Raise(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace kinetic::python
