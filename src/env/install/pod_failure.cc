#include "base/strings.h"
#include "env/install/installer.h"

#include <array>
#include <optional>
#include <string>

namespace kinetic::env {
namespace {

constexpr std::string_view kImageHint =
    ", or set an image that contains it (image: registry/name:tag); ";

/// Returns the package for which uv found no wheel. Older versions do not name it.
std::optional<std::string> PackageWithoutWheel(const InstallerLog& log) {
  static constexpr std::array<std::string_view, 3> kBeforeName{
      "Wheels are required for `", "we only found wheels for `", "Wheels are available for `"};
  for (const auto text : kBeforeName) {
    if (const auto rest = log.TextAfter(text)) return rest->substr(0, rest->find('`'));
  }
  if (const auto rest = log.TextAfter("error: Package `")) {
    if (rest->find("can't be installed") != std::string::npos) {
      return rest->substr(0, rest->find('`'));
    }
  }
  if (log.Contains("no usable wheels")) return "a package";
  return std::nullopt;
}

std::string Hint(const TargetPlatform& target, const InstallerLog& log) {
  const std::string pod = "Python " + target.Minor() + " on linux-" + target.machine;
  if (const auto name = PackageWithoutWheel(log)) {
    return *name + " has no wheel for " + pod +
           ", and pods do not build from source: set another version of the package or of "
           "`python:`" +
           std::string(kImageHint);
  }
  return {};
}

}  // namespace

Failure PodInstallerFailure(std::string_view what, const TargetPlatform& target,
                            InstallerLog& log) {
  Failure failure = InstallerFailure(what, log);
  if (failure.error().code != ErrorCode::kFailedPrecondition) return failure;
  const std::string hint = Hint(target, log);
  if (!hint.empty()) failure.error().hint = hint + "full log: " + log.path().native();
  return failure;
}

}  // namespace kinetic::env
