#include "env/python/target_platform.h"

#include "base/strings.h"
#include "env/python/version.h"

#include <utility>

namespace kinetic::env {
namespace {

constexpr std::string_view kSystem = "linux-";

/// The only machine type of pods.
constexpr std::string_view kMachine = "x86_64";

}  // namespace

Result<TargetPlatform> TargetPlatform::For(std::string_view python, std::string_view platform) {
  if (VersionNumbers(python).size() < 2) {
    return Fail(ErrorCode::kInvalidArgument,
                "'" + Printable(python) + "' is not a Python minor version",
                "set a minor version, such as python: \"3.12\"");
  }
  if (!platform.starts_with(kSystem) || platform.substr(kSystem.size()) != kMachine) {
    return Fail(ErrorCode::kUnimplemented,
                "the platform '" + Printable(platform) + "' is not supported",
                "pods run on linux-x86_64");
  }
  return TargetPlatform{std::string(python), std::string(platform.substr(kSystem.size()))};
}

std::string TargetPlatform::Minor() const { return MinorVersion(python); }

std::string TargetPlatform::Architecture() const { return machine == kMachine ? "amd64" : machine; }

}  // namespace kinetic::env
