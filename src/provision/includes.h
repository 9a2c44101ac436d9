#pragma once

#include "kinetic/value.h"

namespace kinetic::provision {

/// Returns whether a resource has all fields of another one. Servers add fields and change their
/// order; lists must have equally many items.
bool Includes(const Value& resource, const Value& fields);

}  // namespace kinetic::provision
