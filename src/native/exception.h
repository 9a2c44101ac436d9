#pragma once

#include "kinetic/job.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kinetic::inline v0::native {

/// Describes the exception that is being handled, with the exceptions nested in it
/// (std::throw_with_nested) as its causes: type, message, and the functions that led to the throw.
/// Call it in a catch block.
RemoteException DescribeException();

/// Describes the functions of return addresses, without those that call the user's function.
///
/// @param addresses  innermost first.
std::vector<Frame> DescribeFrames(std::span<const std::uintptr_t> addresses);

}  // namespace kinetic::inline v0::native
