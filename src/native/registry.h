#pragma once

#include "kinetic/function.h"
#include "kinetic/result.h"

#include <string>
#include <string_view>

/// The functions of this program that jobs may call.
namespace kinetic::inline v0::native {

/// Returns the function with this name, or null.
const Registration* FindByName(std::string_view name);

/// Returns the registration of a function, or null.
const Registration* FindByAddress(void (*function)());

/// Marks the functions that are registered from now on as late.
void CloseRegistry();

/// Returns whether a function was registered after CloseRegistry. A job does not have it, because it
/// has only what is registered when InitFunctions is called.
bool IsLate(const Registration& registration);

/// Returns the names of up to 10 functions, "Train, sim::Run", or "no functions".
std::string ListFunctions();

/// @errors  kInvalidArgument: two functions have the same name.
Status CheckNames();

}  // namespace kinetic::inline v0::native
