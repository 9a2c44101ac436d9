#include "base/manylinux.h"

#include "base/strings.h"

#include <array>
#include <limits>
#include <utility>

namespace kinetic {
namespace {

/// The oldest glibc with manylinux wheels.
constexpr int kOldestMinor = 5;
constexpr std::string_view kPrefix = "manylinux_2_";

/// Tags that name a year instead of a glibc version.
constexpr std::array<std::pair<int, std::string_view>, 3> kOldNames{
    {{17, "manylinux2014"}, {12, "manylinux2010"}, {5, "manylinux1"}}};

}  // namespace

std::vector<std::string> ManylinuxTags(int newest_minor, std::string_view machine) {
  const std::string end = "_" + std::string(machine);
  std::vector<std::string> tags;
  for (int minor = newest_minor; minor >= kOldestMinor; --minor) {
    tags.push_back(std::string(kPrefix) + std::to_string(minor) + end);
    for (const auto& [since, name] : kOldNames) {
      if (since == minor) tags.push_back(std::string(name) + end);
    }
  }
  return tags;
}

std::optional<int> GlibcMinorOf(std::string_view platform_tag) {
  for (const auto& [minor, name] : kOldNames) {
    if (platform_tag.starts_with(std::string(name) + "_")) return minor;
  }
  if (!platform_tag.starts_with(kPrefix)) return std::nullopt;
  platform_tag.remove_prefix(kPrefix.size());
  const auto minor = ParseInt(platform_tag.substr(0, platform_tag.find('_')));
  if (!minor || *minor < 0 || *minor > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*minor);
}

}  // namespace kinetic
