#include "base/strings.h"
#include "env/dependencies/requirements.h"

#include <string>

namespace kinetic::env {
namespace {

constexpr const char* kPackageImageHint =
    ", or set an image that contains the package: image: registry/name:tag";

}  // namespace

Status RequireWheels(IndexSettings& index) {
  for (const auto& name : index.no_binary) {
    if (name == ":none:") continue;
    return Fail(
        ErrorCode::kInvalidArgument,
        "--no-binary " + Printable(name) + " requires a build, and pods do not build from source",
        std::string("remove the option") + kPackageImageHint);
  }
  index.no_binary.clear();
  index.only_binary = {":all:"};
  return {};
}

Status CheckWheelUrl(std::string_view package, std::string_view url) {
  if (url.empty() || url.substr(0, url.find_first_of("?#")).ends_with(".whl")) return {};
  return Fail(ErrorCode::kInvalidArgument,
              std::string(package) + " @ " + Printable(url) +
                  " is not a wheel, and pods do not build from source",
              std::string("use a wheel") + kPackageImageHint);
}

}  // namespace kinetic::env
