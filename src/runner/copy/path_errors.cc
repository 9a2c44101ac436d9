#include "runner/copy/path_errors.h"

#include "base/strings.h"
#include "local/follow_path.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

namespace kinetic::runner {

std::string PathErrors::Shown(const std::string& relative) const {
  const std::string& root = place_.shown;
  const std::string& workdir = job_.record.spec.workdir.native();
  const bool is_relative = root.empty() && !workdir.empty();
  if (is_relative && relative.starts_with(workdir + "/")) {
    return Printable(relative.substr(workdir.size() + 1));
  }
  if (relative.empty()) return root.empty() ? "the working directory" : Printable(root);
  return Printable(root.empty() ? relative : root + "/" + relative);
}

Failure PathErrors::NotFolder(const std::string& relative) const {
  return Fail(ErrorCode::kFailedPrecondition, Shown(relative) + " is not a folder");
}

Failure PathErrors::Missing(const std::string& relative) const {
  std::string parent;
  std::string name;
  std::optional<local::Destination> folder = local::Destination{{}, {.type = FileType::kDirectory}};
  for (const std::string_view part : Split(relative, '/')) {
    const std::string next =
        parent.empty() ? std::string(part) : fmt::format("{}/{}", parent, part);
    const auto found = local::FollowPath(fs_, place_.root, next);
    name = part;
    if (!found) break;
    parent = next;
    folder = found;
  }
  if (folder->status.type != FileType::kDirectory) return NotFolder(folder->path);
  const std::string missing = folder->path.empty() ? name : folder->path + "/" + name;
  const auto link = fs_.Lstat(place_.root / missing);
  if (link && link->type == FileType::kSymlink) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} is a link to a missing file, or to one outside of {}",
                            Shown(missing), Shown({})));
  }
  return Fail(ErrorCode::kNotFound,
              fmt::format("{} does not exist in job {}", Shown(missing), job_.record.id),
              Hint(relative, place_.root / folder->path, name));
}

/// Names the nearest entry of the folder, or the folder of the same name in the working directory.
std::string PathErrors::Hint(const std::string& relative, const Path& folder,
                             const std::string& name) const {
  if (place_.shown == "outputs" || place_.shown == "checkpoints") {
    const Path work = job_.runtime.Work() / job_.record.spec.workdir;
    const std::string same = place_.shown + "/" + relative;
    if (local::FollowPath(fs_, work, same)) {
      return fmt::format("for {0} in the working directory, write ./{0}", Printable(same));
    }
  }
  return local::NearestEntryHint(fs_, folder, name);
}

}  // namespace kinetic::runner
