#include "runner/chip_check.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace kinetic::runner {
namespace {

/// A family of device files: one for each accelerator, with a number at its end.
struct DeviceFiles {
  std::string_view resource;
  std::string_view what;  ///< "TPU chip"
  std::string_view folder;
  std::string_view prefix;
};

/// A TPU's are of the one kind or the other, as its driver is old or new.
constexpr std::array<DeviceFiles, 3> kDeviceFiles{{{"google.com/tpu", "TPU chip", "", "accel"},
                                                   {"google.com/tpu", "TPU chip", "vfio", ""},
                                                   {"nvidia.com/gpu", "GPU", "", "nvidia"}}};

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

std::optional<std::string> MissingChips(FileSystem& fs, std::string_view asked,
                                        const Path& devices) {
  const std::size_t at = asked.find('=');
  if (at == std::string_view::npos) return std::nullopt;
  const auto wanted = ParseInt(asked.substr(at + 1));
  if (!wanted) return std::nullopt;
  std::int64_t seen = 0;
  std::string_view what;
  std::string looked_for;
  for (const auto& files : kDeviceFiles) {
    if (files.resource != asked.substr(0, at)) continue;
    what = files.what;
    seen = std::max(seen, CountIn(fs, devices, files));
    looked_for += (looked_for.empty() ? "" : ", ") +
                  (devices / files.folder / (std::string(files.prefix) + "*")).native();
  }
  if (what.empty() || seen >= *wanted) return std::nullopt;
  return fmt::format(
      "the job asked for {} {}{}, and its container has {} ({}): what runs now may "
      "use the processor instead",
      *wanted, what, *wanted == 1 ? "" : "s", seen == 0 ? "none" : std::to_string(seen),
      looked_for);
}

}  // namespace kinetic::runner
