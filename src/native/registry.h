#pragma once

#include "kinetic/function.h"
#include "kinetic/result.h"

#include <optional>
#include <string>
#include <string_view>

/// The functions of this program that jobs may call.
///
/// @threads  safe to call concurrently, also while libraries are loaded and unloaded.
namespace kinetic::inline v0::native {

/// A registered function.
struct Callable {
  std::string name;
  void (*function)() = nullptr;
  Invoker invoker = nullptr;
  /// Whether it was registered after CloseRegistry. Jobs do not have such functions, because
  /// InitFunctions does not return in a job.
  bool is_late = false;
};

/// Returns the function with this name.
std::optional<Callable> FindByName(std::string_view name);

/// Returns the registration of a function.
std::optional<Callable> FindByAddress(void (*function)());

/// Marks the functions that are registered from now on as late.
void CloseRegistry();

/// Returns the names of up to 10 functions, "Train, sim::Run", or "no functions".
std::string ListFunctions();

/// @errors  kInvalidArgument: two functions have the same name.
Status CheckNames();

}  // namespace kinetic::inline v0::native
