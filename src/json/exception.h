#pragma once

#include "kinetic/job.h"
#include "kinetic/value.h"

namespace kinetic::json {

/// The longest chain of an exception and its causes. Further causes are not written.
inline constexpr int kMaxExceptionChain = 64;

/// Returns the form of an exception in outcome.json and on a function's control pipe: type, message, traceback, and
/// with a cause "relation" and "cause".
///
/// @threads  any
Value ExceptionValue(const RemoteException& exception);

}  // namespace kinetic::json
