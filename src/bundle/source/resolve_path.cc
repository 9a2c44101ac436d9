#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/source/root.h"

#include <deque>
#include <string>

namespace kinetic::bundle {
namespace {

void Prepend(std::deque<std::string>& parts, const std::string& path) {
  std::deque<std::string> all;
  for (const std::string_view part : Split(path, '/')) {
    if (!part.empty() && part != ".") all.emplace_back(part);
  }
  parts.insert(parts.begin(), all.begin(), all.end());
}

}  // namespace

Result<Path> ResolvePath(FileSystem& fs, const Path& path) { return ResolveIn(fs, "/", path); }

Result<Path> ResolveIn(FileSystem& fs, const Path& folder, const Path& path) {
  std::deque<std::string> parts;
  Prepend(parts, path.native());
  Path resolved = folder;
  for (int links = 0; !parts.empty();) {
    const std::string part = std::move(parts.front());
    parts.pop_front();
    if (part == "..") {
      resolved = resolved.parent_path();
      continue;
    }
    const auto status = fs.Lstat(resolved / part);
    if (!status && status.error().code != ErrorCode::kNotFound) return Failure(status.error());
    if (!status || status->type != FileType::kSymlink) {
      resolved /= part;
      continue;
    }
    if (++links > kMaxLinks) {
      return Fail(ErrorCode::kInvalidArgument,
                  "cannot resolve " + Printable(path.native()) + ": too many symbolic links");
    }
    KINETIC_ASSIGN_OR_RETURN(const std::string target, fs.ReadLink(resolved / part));
    if (target.starts_with('/')) resolved = "/";
    Prepend(parts, target);
  }
  return resolved;
}

bool IsWithin(const Path& path, const Path& folder) {
  const std::string& inner = path.native();
  const std::string& outer = folder.native();
  if (outer == "/") return true;
  return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

}  // namespace kinetic::bundle
