#pragma once

#include "kinetic/result.h"

#include "store/store.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::store {

/// GetBytes for what garbage collection removes when nobody has used it for some time: its lease is
/// renewed when it is older than six days. One flight of requests while it is not.
///
/// @errors  those of GetBytes and Store.
Result<std::optional<std::string>> GetKept(Store& store, std::string_view name,
                                           std::uint64_t limit_bytes, std::stop_token stop);

}  // namespace kinetic::store
