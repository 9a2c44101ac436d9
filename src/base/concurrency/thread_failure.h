#pragma once

#include "kinetic/result.h"

#include <string_view>
#include <system_error>

namespace kinetic {

/// Returns the error of an operation that could not start a thread: kResourceExhausted.
Failure ThreadFailure(std::string_view operation, const std::system_error& error);

}  // namespace kinetic
