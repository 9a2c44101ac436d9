#pragma once

#include "base/file_system.h"
#include "store/store.h"

#include <memory>
#include <string_view>

namespace kinetic::store {

/// Opens the store at `location` (an absolute folder path), making it when it is absent, and checks
/// format.json.
///
/// @errors  kFailedPrecondition (a newer format; the message names both) · kInvalidArgument (not a
///          location, or a folder that holds something else) · those of Store.
Result<std::unique_ptr<Store>> Open(std::string_view location, FileSystem& fs, Clock& clock,
                                    std::stop_token stop);

}  // namespace kinetic::store
