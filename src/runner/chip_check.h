#pragma once

#include "base/file_system.h"
#include "runner/chips.h"

#include <optional>
#include <string>

namespace kinetic::runner {

/// A container has fewer device files than the job asked for chips.
struct MissingChips {
  std::int64_t seen = 0;
  std::string looked_for;  ///< "/dev/accel*, /dev/vfio/*"
};

/// Looks for the accelerators of a container by their device files.
///
/// @param devices  "/dev".
/// @returns  nothing when all are there.
/// @source   https://github.com/google/gvisor (pkg/sentry/devices/accel and tpuproxy: accel*,
/// vfio/*;
///           nvproxy: nvidia*)
std::optional<MissingChips> FindMissingChips(FileSystem& fs, const Chips& asked,
                                             const Path& devices);

/// A line for the log, where no framework could be asked: it would find none and take the processor
/// instead.
std::string NoteOf(const MissingChips& missing, const Chips& asked);

}  // namespace kinetic::runner
