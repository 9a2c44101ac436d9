#pragma once

#include "kinetic/job.h"
#include "kinetic/value.h"

namespace kinetic::json {

/// The longest chain of an exception and its causes. Further causes are not written.
inline constexpr int kMaxExceptionChain = 64;

/// Returns the JSON form of an exception in result.json and on the control pipe of a function. It has
/// the members "type", "message", and "traceback", and if there are any, "attributes", "relation" and
/// "cause".
///
/// @threads  safe to call concurrently.
Value ExceptionValue(const RemoteException& exception);

}  // namespace kinetic::json
