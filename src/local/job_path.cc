#include "local/job_path.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace kinetic::local {

std::string JobPath::name() const {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Result<JobPath> ParseJobPath(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("invalid path in a job: '{}' contains a NUL byte", Printable(text)));
  }
  JobPath parsed;
  parsed.names_folder = text.empty() || text.ends_with('/') || text == "." || text.ends_with("/.");
  std::vector<std::string> parts;
  for (const std::string_view part : Split(text, '/')) {
    if (part == "..") {
      return Fail(
          ErrorCode::kInvalidArgument,
          fmt::format("invalid path in a job: '{}' contains '..'", Printable(text)),
          "write the path from the job's working directory, or the absolute path in the job");
    }
    if (!part.empty() && part != ".") parts.emplace_back(part);
  }
  if (text.starts_with('/')) {
    parsed.place = JobPath::Place::kAbsolute;
    parsed.path = "/" + Join(parts, "/");
    return parsed;
  }
  const bool is_explicit = text.starts_with("./");
  if (!is_explicit && !parts.empty()) {
    if (parts.front() == "outputs") parsed.place = JobPath::Place::kOutputs;
    if (parts.front() == "checkpoints") parsed.place = JobPath::Place::kCheckpoints;
  }
  if (parsed.place != JobPath::Place::kWorking) parts.erase(parts.begin());
  parsed.path = Join(parts, "/");
  return parsed;
}

Result<LocatedPath> Locate(const JobPath& path, const Runtime& runtime, std::string_view workdir) {
  switch (path.place) {
    case JobPath::Place::kOutputs:
      return LocatedPath{runtime.Output(), path.path, "outputs"};
    case JobPath::Place::kCheckpoints:
      return LocatedPath{runtime.Checkpoints(), path.path, "checkpoints"};
    case JobPath::Place::kWorking: {
      std::string relative(workdir);
      if (!relative.empty() && !path.path.empty()) relative += '/';
      return LocatedPath{runtime.Work(), relative + path.path, {}};
    }
    case JobPath::Place::kAbsolute:
      break;
  }
  for (Path& root : std::vector<Path>{runtime.Work(), runtime.Output(), runtime.Checkpoints(),
                                      runtime.Home(), runtime.Temporary()}) {
    std::string_view rest = path.path;
    if (!rest.starts_with(root.native())) continue;
    rest.remove_prefix(root.native().size());
    if (!rest.empty() && !rest.starts_with('/')) continue;
    std::string shown = root.native();
    if (!rest.empty()) rest.remove_prefix(1);
    return LocatedPath{std::move(root), std::string(rest), std::move(shown)};
  }
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("{} is in none of the job's own folders", Printable(path.path)),
      fmt::format("absolute paths must be below work, output, checkpoints, home or tmp in {}",
                  runtime.folder.native()));
}

}  // namespace kinetic::local
