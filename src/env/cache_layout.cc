#include "base/hash/digest.h"
#include "base/random.h"
#include "env/tool_options.h"

#include <string>

namespace kinetic::env {
namespace {

constexpr std::string_view kTemporaryEnd = ".tmp";

}  // namespace

Path EnvironmentCacheLayout::TemporaryRoot(std::string_view id) const {
  return Environments() / (std::string(id) + "." + RandomId() + std::string(kTemporaryEnd));
}

Path EnvironmentCacheLayout::TemporaryPackageSet() const {
  return PackageSets() / (RandomId() + std::string(kTemporaryEnd));
}

bool EnvironmentCacheLayout::IsId(std::string_view name) {
  return Digest::FromHex(name).has_value();
}

bool EnvironmentCacheLayout::IsTemporary(std::string_view name, std::string_view id) {
  return name.ends_with(kTemporaryEnd) && name.size() > 65 && name[64] == '.' &&
         IsId(name.substr(0, 64)) && (id.empty() || name.starts_with(id));
}

bool EnvironmentCacheLayout::IsTemporary(std::string_view name) {
  return name.ends_with(kTemporaryEnd);
}

}  // namespace kinetic::env
