#pragma once

#include "base/file_system.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// Looks for the accelerators of a container by their device files, before a framework would find
/// none and take the processor instead.
///
/// @param asked    as pod::kChipsVariable says it: "google.com/tpu=4".
/// @param devices  "/dev".
/// @returns  a line for the log when there are fewer than asked for; nothing when all are there, or
///           for accelerators whose files are not known.
/// @source   https://github.com/google/gvisor (pkg/sentry/devices/accel and tpuproxy: accel*,
/// vfio/*;
///           nvproxy: nvidia*)
std::optional<std::string> MissingChips(FileSystem& fs, std::string_view asked,
                                        const Path& devices);

}  // namespace kinetic::runner
