#pragma once

#include "kinetic/job.h"

namespace kinetic::inline v0::native {

/// Describes the exception that is being handled, with the exceptions nested in it
/// (std::throw_with_nested) as its causes: type, message, and the functions that led to the throw.
/// Call it in a catch block.
RemoteException DescribeException();

}  // namespace kinetic::inline v0::native
