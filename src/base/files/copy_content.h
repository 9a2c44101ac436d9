#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <stop_token>

namespace kinetic {

/// Lets an empty file share the disk blocks of another one until either is written (reflink).
/// Returns false if the file system does not support it.
bool ShareContent(int from, int to);

/// Copies the first `size_bytes` of an open file to an empty one. Shares disk blocks if possible.
/// Holes remain holes.
///
/// @errors  those of FileSystem · kCancelled.
Status CopyContent(FileSystem& fs, int from, int to, std::uint64_t size_bytes,
                   const std::stop_token& stop);

}  // namespace kinetic
