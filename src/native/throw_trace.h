#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// The stacks of recent throw expressions. They are recorded by a replacement of __cxa_throw, which
/// applies in jobs, to the program and libraries that import that function: not to those that contain
/// the C++ runtime.
namespace kinetic::inline v0::native {

inline constexpr std::size_t kMaxTraceFrames = 128;

/// Return addresses, innermost first.
struct ThrowTrace {
  const void* exception = nullptr;  ///< the thrown object
  std::array<std::uintptr_t, kMaxTraceFrames> addresses{};
  std::size_t count = 0;
  std::span<const std::uintptr_t> Addresses() const { return {addresses.data(), count}; }
};

/// Records the stack of the caller. Does not change the exception of the trace.
void TraceStack(ThrowTrace& trace);

/// Records the stacks of all following throw expressions. Before, exceptions cost as usual.
void StartThrowTraces();

/// Returns where an exception object was thrown; without frames if it was not recorded, or many
/// exceptions were thrown since.
///
/// @threads  safe to call concurrently.
ThrowTrace FindThrowTrace(const void* exception);

}  // namespace kinetic::inline v0::native
