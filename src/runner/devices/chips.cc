#include "runner/devices/chips.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace kinetic::runner {
namespace {

/// Device files of one kind: one per accelerator, with a number at the end.
struct DeviceFiles {
  ChipKind kind;
  std::string_view folder;
  std::string_view prefix;
};

/// TPUs have one kind or the other, depending on their driver.
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

std::optional<Chips> ParseChips(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos) return std::nullopt;
  const auto count = ParseInt(text.substr(at + 1));
  if (!count) return std::nullopt;
  const std::string_view resource = text.substr(0, at);
  if (resource == "google.com/tpu") return Chips{ChipKind::kTpu, *count};
  if (resource == "nvidia.com/gpu") return Chips{ChipKind::kGpu, *count};
  return std::nullopt;
}

std::string Describe(const Chips& chips) {
  const std::string_view unit = chips.kind == ChipKind::kTpu ? "TPU chip" : "GPU";
  return fmt::format("{} {}{}", chips.count, unit, chips.count == 1 ? "" : "s");
}

std::optional<MissingChips> FindMissingChips(FileSystem& fs, const Chips& requested,
                                             const Path& devices) {
  MissingChips found;
  for (const auto& files : kDeviceFiles) {
    if (files.kind != requested.kind) continue;
    found.seen = std::max(found.seen, CountIn(fs, devices, files));
    found.searched += (found.searched.empty() ? "" : ", ") +
                      (devices / files.folder / (std::string(files.prefix) + "*")).native();
  }
  if (found.seen >= requested.count) return std::nullopt;
  return found;
}

std::string DescribeMissingChips(const MissingChips& missing, const Chips& requested) {
  return fmt::format(
      "the job requested {}, but its container has {} ({}); the program may use the CPU instead",
      Describe(requested), missing.seen == 0 ? "none" : std::to_string(missing.seen),
      missing.searched);
}

}  // namespace kinetic::runner
