#pragma once

#include <utility>

namespace kinetic {

/// Makes an object that is never destroyed, for a function's static variable: threads of the library
/// may still use it while the program exits.
template <typename T, typename... Arguments>
T& NeverDestroyed(Arguments&&... arguments) {
  return *new T(std::forward<Arguments>(arguments)...);
}

}  // namespace kinetic
