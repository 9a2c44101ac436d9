#include "runner/glibc_need.h"

#include "base/manylinux.h"
#include "base/strings.h"
#include "base/try.h"

#include <string_view>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::uint64_t kMaxWheelBytes = 64U << 10;

/// Of one platform a wheel is for; nothing: it is not for glibc.
std::optional<int> NeedOf(std::string_view platform) {
  if (platform.starts_with("linux_")) return 0;
  return GlibcMinorOf(platform);
}

/// What a wheel can do with, for it may be for several platforms; nothing: it can do without glibc.
std::optional<int> LeastNeed(std::string_view wheel) {
  constexpr std::string_view kTag = "Tag: ";
  std::optional<int> least;
  for (const auto line : Split(wheel, '\n')) {
    if (!line.starts_with(kTag)) continue;
    const auto tag = Trim(line.substr(kTag.size()));
    for (const auto platform : Split(tag.substr(tag.rfind('-') + 1), '.')) {
      const auto need = NeedOf(platform);
      if (!need) return std::nullopt;
      if (!least || *need < *least) least = need;
    }
  }
  return least;
}

}  // namespace

Result<std::optional<GlibcNeed>> FindGlibcNeed(FileSystem& fs, const Path& site_packages) {
  constexpr std::string_view kEnd = ".dist-info";
  const auto entries = fs.ReadDirectory(site_packages);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return std::optional<GlibcNeed>();
  KINETIC_RETURN_IF_ERROR(entries);
  std::optional<GlibcNeed> most;
  for (const auto& entry : *entries) {
    if (!entry.name.ends_with(kEnd)) continue;
    const auto wheel = ReadFile(fs, site_packages / entry.name / "WHEEL", kMaxWheelBytes);
    if (!wheel) continue;
    const auto need = LeastNeed(*wheel);
    if (!need) continue;
    std::string package = entry.name.substr(0, entry.name.size() - kEnd.size());
    const bool is_more = !most || *need > most->minor;
    if (is_more || (*need == most->minor && package < most->package)) {
      most = {std::move(package), *need};
    }
  }
  return most;
}

}  // namespace kinetic::runner
