#pragma once

#include <cstdlib>
#include <iostream>
#include <source_location>

namespace kinetic::job {

/// Returns what the pointer of a public object points to. Ends the program with a message if the
/// object was moved from. The message names the function that calls this.
template <typename Pointer>
auto& Checked(const Pointer& pointer, std::source_location call = std::source_location::current()) {
  if (!pointer) [[unlikely]] {
    std::cerr << "kinetic: fatal: called with an object that was moved from: "
              << call.function_name() << '\n';
    std::abort();
  }
  return *pointer;
}

/// Ends the program with a message if a callback is empty, for functions that cannot return an error.
inline void RequireCallback(bool is_set,
                            std::source_location call = std::source_location::current()) {
  if (is_set) [[likely]]
    return;
  std::cerr << "kinetic: fatal: called without a callback: " << call.function_name() << '\n';
  std::abort();
}

}  // namespace kinetic::job
