#include "base/strings.h"
#include "job/bundle/job_bundle.h"

#include <string>
#include <system_error>

namespace kinetic::job {

Result<std::string> ResolveWorkdir(const JobSpec& spec, const Path& root) {
  if (!spec.workdir.empty() && spec.workdir.is_relative()) return spec.workdir.generic_string();
  const Path folder = spec.workdir.empty() ? spec.directory : spec.workdir;
  std::error_code failed;
  const Path real = std::filesystem::canonical(folder, failed);
  const Path inside = (failed ? folder : real).lexically_relative(root);
  if (inside.empty() || *inside.begin() == "..") return std::string(".");
  if (IsUtf8(inside.native())) return inside.generic_string();
  return Fail(ErrorCode::kInvalidArgument,
              "workdir: the path " + Printable(inside.native()) + " is not valid UTF-8",
              "rename the folder, or set 'workdir' to another folder of the bundle");
}

}  // namespace kinetic::job
