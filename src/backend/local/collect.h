#pragma once

#include "backend/target.h"
#include "base/files/file_system.h"
#include "local/runtime.h"
#include "store/object_store.h"

#include <stop_token>
#include <string_view>

namespace kinetic::backend {

/// Stores value and outputs from the runtime folder of a job that nobody works on. What can never
/// be stored makes an outcome that was a success a failure, as it would have been for the runner.
///
/// @errors  the store is away (nothing is lost: do it again) · kCancelled.
Result<Target::Remains> CollectRuntime(FileSystem& fs, store::Store& store,
                                       const local::Runtime& runtime, std::string_view id,
                                       std::stop_token stop);

}  // namespace kinetic::backend
