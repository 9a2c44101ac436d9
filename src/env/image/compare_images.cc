#include "kinetic/image_difference.h"

#include <map>
#include <utility>

namespace kinetic::inline v0 {
namespace {

using Change = ImageDifference::Change;

void Compare(const char* name, const std::string& before, const std::string& now,
             ImageDifference& difference) {
  if (before == now || before.empty() || now.empty()) return;
  difference.properties.push_back({name, before, now});
}

}  // namespace

ImageDifference CompareImages(const ImageContents& before, const ImageContents& now) {
  ImageDifference difference;
  Compare("python", before.python, now.python, difference);
  Compare("accelerator", before.accelerator, now.accelerator, difference);
  Compare("base", before.base, now.base, difference);
  Compare("base digest", before.base_digest, now.base_digest, difference);
  std::map<std::string, std::pair<std::string, std::string>> versions;
  for (const LockedPackage& package : before.packages)
    versions[package.name].first = package.version;
  for (const LockedPackage& package : now.packages) versions[package.name].second = package.version;
  for (auto& [name, version] : versions) {
    auto& [old_version, new_version] = version;
    if (old_version == new_version) continue;
    const Change::Kind kind = old_version.empty()   ? Change::Kind::kAdded
                              : new_version.empty() ? Change::Kind::kRemoved
                                                    : Change::Kind::kChanged;
    difference.packages.push_back({kind, name, std::move(old_version), std::move(new_version)});
  }
  return difference;
}

}  // namespace kinetic::inline v0
