#include "env/dependencies/manifest_build.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "env/dependencies/text.h"

#include <utility>

namespace kinetic::env {

Result<std::string> ReadDependencyText(ManifestBuild& build, const Path& path) {
  KINETIC_ASSIGN_OR_RETURN(std::string bytes,
                           ReadRegularFile(build.fs, path, kMaxDependencyFileBytes));
  auto text = DecodeText(std::move(bytes));
  if (!text) return Failure(std::move(text).error().Context(Printable(path.filename().native())));
  build.manifest.files.push_back({path, *text});
  return text;
}

}  // namespace kinetic::env
