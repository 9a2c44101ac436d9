#pragma once

#include "backend/target.h"
#include "base/files/file_system.h"
#include "local/runtime.h"
#include "store/object_store.h"

#include <stop_token>
#include <string_view>

namespace kinetic::backend {

/// Stores value and outputs from the runtime folder of an abandoned job. A value or output that can
/// never be stored changes success to failure, as in the runner.
///
/// @errors  the store is unavailable (nothing is lost; try again) · kCancelled.
Result<CollectedState> CollectRuntime(FileSystem& fs, store::Store& store,
                                      const local::Runtime& runtime, std::string_view id,
                                      std::stop_token stop);

}  // namespace kinetic::backend
