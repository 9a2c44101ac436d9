#include "runner/chip_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace kinetic::runner {
namespace {

/// A family of device files: one for each accelerator, with a number at its end.
struct DeviceFiles {
  ChipKind kind;
  std::string_view folder;
  std::string_view prefix;
};

/// A TPU's are of the one kind or the other, as its driver is old or new.
constexpr std::array<DeviceFiles, 3> kDeviceFiles{
    {{ChipKind::kTpu, "", "accel"}, {ChipKind::kTpu, "vfio", ""}, {ChipKind::kGpu, "", "nvidia"}}};

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::int64_t CountIn(FileSystem& fs, const Path& devices, const DeviceFiles& files) {
  const auto entries = fs.ReadDirectory(devices / files.folder);
  if (!entries) return 0;
  return std::ranges::count_if(*entries, [&](const DirectoryEntry& entry) {
    const std::string_view name = entry.name;
    return name.starts_with(files.prefix) && IsNumber(name.substr(files.prefix.size()));
  });
}

}  // namespace

std::optional<MissingChips> FindMissingChips(FileSystem& fs, const Chips& asked,
                                             const Path& devices) {
  MissingChips found;
  for (const auto& files : kDeviceFiles) {
    if (files.kind != asked.kind) continue;
    found.seen = std::max(found.seen, CountIn(fs, devices, files));
    found.looked_for += (found.looked_for.empty() ? "" : ", ") +
                        (devices / files.folder / (std::string(files.prefix) + "*")).native();
  }
  if (found.seen >= asked.count) return std::nullopt;
  return found;
}

std::string NoteOf(const MissingChips& missing, const Chips& asked) {
  return fmt::format(
      "the job asked for {}, and its container has {} ({}): what runs now may use the processor "
      "instead",
      Text(asked), missing.seen == 0 ? "none" : std::to_string(missing.seen), missing.looked_for);
}

}  // namespace kinetic::runner
