#pragma once

#include "kinetic/error.h"

#include <string>

namespace kinetic::http {

/// Adds to the error of a stopped request why the last attempt before the stop failed. Other errors
/// do not change.
Error WithLastCause(Error error, const std::string& cause);

/// Returns ": " and that cause, or an empty text. For the messages of deadlines that end retries.
std::string CauseSuffix(const Error& stopped);

}  // namespace kinetic::http
