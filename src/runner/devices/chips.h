#pragma once

#include "base/files/file_system.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::runner {

enum class ChipKind : std::uint8_t { kTpu, kGpu };

/// The accelerators that a job requested for its container.
struct Chips {
  ChipKind kind = ChipKind::kTpu;
  std::int64_t count = 0;
};

/// Parses the value of pod::kChipsVariable, "google.com/tpu=4". Returns nullopt for other
/// resources.
std::optional<Chips> ParseChips(std::string_view text);

/// Returns "4 TPU chips" or "1 GPU".
std::string Describe(const Chips& chips);

/// A container has fewer device files than requested chips.
struct MissingChips {
  std::int64_t seen = 0;
  std::string searched;  ///< "/dev/accel*, /dev/vfio/*"
};

/// Counts the device files of accelerators below `devices`, "/dev". Returns nullopt if all exist.
///
/// @source  https://github.com/google/gvisor (pkg/sentry/devices/accel and tpuproxy: accel*,
///          vfio/*; nvproxy: nvidia*)
std::optional<MissingChips> FindMissingChips(FileSystem& fs, const Chips& requested,
                                             const Path& devices);

/// Returns a warning for the log, for the case that no framework could be checked.
std::string DescribeMissingChips(const MissingChips& missing, const Chips& requested);

}  // namespace kinetic::runner
