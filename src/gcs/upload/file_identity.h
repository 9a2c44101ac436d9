#pragma once

#include "base/files/file_system.h"

#include <string>

namespace kinetic::gcs {

/// What a file is, as InsertOptions::source wants it: its place on the disk, its size and its
/// times.
std::string IdentityOf(const FileStatus& status);

}  // namespace kinetic::gcs
