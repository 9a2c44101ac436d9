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

/// Returns the names of all functions, "Train, sim::Run", or "no functions".
std::string ListFunctions();

/// @errors  kInvalidArgument: two functions have the same name.
Status CheckNames();

}  // namespace kinetic::inline v0::native
