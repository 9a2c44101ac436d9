#include "env/install/package.h"
#include "env/python/interpreter.h"
#include "env/python/target_platform.h"

#include <string>

namespace kinetic::env {

Digest WheelKey(const Lock& lock, const LockedPackage& package, std::string_view prefix) {
  Sha256 hash;
  const auto add = [&](std::string_view text) {
    // Lengths make the boundaries of values unambiguous.
    hash.Update(std::to_string(text.size())).Update(" ").Update(text).Update("\n");
  };
  add("kinetic wheel");
  add(kWheelLayoutVersion);
  add(std::to_string(kPodGlibcMinor));
  add(MinorVersion(lock.python));
  add(lock.platform);
  add(prefix);
  add(package.name);
  add(package.version);
  add(package.url);
  for (const auto& one : package.hashes) add(one);
  return hash.Finish();
}

}  // namespace kinetic::env
