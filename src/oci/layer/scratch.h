#pragma once

#include "kinetic/result.h"

#include "base/files/temp_dir.h"
#include "base/time/clock.h"

namespace kinetic::oci {

/// A new folder where the parts of an image lie until they are sent. What was left beside it a day
/// ago, by who was killed, goes.
///
/// @param folder  that it is made in; made when it is absent.
Result<TempDir> MakeScratch(FileSystem& fs, Clock& clock, const Path& folder);

}  // namespace kinetic::oci
