#pragma once

#include "store/object.h"

#include <string_view>

namespace kinetic::store {

/// The prefix of ObjectInfo::damage if this user has no permission to read the object.
inline constexpr std::string_view kDenied = "permission denied";

/// Returns whether another user may be able to read the object, so that it is not to be discarded.
inline bool IsDenied(const ObjectInfo& info) { return info.damage.starts_with(kDenied); }

}  // namespace kinetic::store
