#include "bundle/source/root.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <array>
#include <string_view>
#include <utility>

namespace kinetic::bundle {
namespace {

constexpr std::array<std::string_view, 8> kMarkers = {
    ".kineticignore",   "pyproject.toml", "uv.lock",   "pylock.toml",
    "requirements.txt", "setup.py",       "setup.cfg", ".git",
};

/// Returns whether `folder` has a file `name`. `.git` may be a folder, or a file in worktrees and
/// submodules.
Result<bool> HasFile(FileSystem& fs, const Path& folder, std::string_view name) {
  const auto status = fs.Lstat(folder / name);
  if (status) return status->type != FileType::kDirectory || name == ".git";
  const ErrorCode code = status.error().code;
  if (code == ErrorCode::kNotFound || code == ErrorCode::kPermissionDenied) return false;
  return Failure(status.error());
}

Result<std::optional<std::string_view>> MarkerIn(FileSystem& fs, const Path& folder) {
  for (const std::string_view marker : kMarkers) {
    KINETIC_ASSIGN_OR_RETURN(const bool found, HasFile(fs, folder, marker));
    if (found) return std::optional(marker);
  }
  return std::optional<std::string_view>();
}

/// Returns whether `folder` is "/", the home directory, or contains the home directory.
bool IsTooWide(const Path& folder, const Path& home) {
  return folder == "/" || (!home.empty() && IsWithin(home, folder));
}

Result<Path> ResolveFolder(FileSystem& fs, const Path& path) {
  KINETIC_ASSIGN_OR_RETURN(Path resolved, ResolvePath(fs, path));
  auto status = fs.Lstat(resolved);
  if (!status) {
    return Failure(std::move(status).error().Context("cannot find the bundle's root"));
  }
  if (status->type != FileType::kDirectory) {
    return Fail(ErrorCode::kInvalidArgument,
                Printable(path.native()) + " cannot be the bundle's root: it is not a folder");
  }
  return resolved;
}

Failure TooWideError(const Path& folder, const Path& home, std::string hint) {
  std::string what = "is the root of the file system";
  if (folder != "/")
    what = folder == home ? "is the home directory" : "contains the home directory";
  return Fail(ErrorCode::kInvalidArgument,
              Printable(folder.native()) + " cannot be the bundle's root: it " + what,
              std::move(hint));
}

Result<Root> UseExplicitRoot(FileSystem& fs, const Path& path, const Path& home) {
  KINETIC_ASSIGN_OR_RETURN(Path folder, ResolveFolder(fs, path));
  if (IsTooWide(folder, home)) {
    return TooWideError(folder, home, "set bundle.root to the folder of one project");
  }
  return Root{.path = std::move(folder), .reason = "bundle.root", .repository = {}};
}

Result<Root> UseStart(FileSystem& fs, const Path& start, const Path& home) {
  if (IsTooWide(start, home)) {
    return TooWideError(start, home,
                        "move the job to a separate folder, or select the folder to bundle with "
                        "--root or bundle.root");
  }
  Path folder = start;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const bool is_package, HasFile(fs, folder, "__init__.py"));
    if (!is_package || IsTooWide(folder.parent_path(), home)) break;
    folder = folder.parent_path();
  }
  return Root{.path = folder,
              .reason = folder == start ? "no project marker in this or a parent folder"
                                        : "contains the package; no project marker in this or a "
                                          "parent folder",
              .repository = {}};
}

Result<Root> FindByMarker(FileSystem& fs, const Path& start, const Path& home) {
  for (Path folder = start; !IsTooWide(folder, home); folder = folder.parent_path()) {
    KINETIC_ASSIGN_OR_RETURN(const auto marker, MarkerIn(fs, folder));
    if (marker) {
      return Root{.path = folder,
                  .reason = "has " + std::string(*marker),
                  .repository = {},
                  .has_marker = true};
    }
  }
  return UseStart(fs, start, home);
}

Result<Path> FindRepository(FileSystem& fs, const Path& root, const Path& home) {
  for (Path folder = root; !IsTooWide(folder, home); folder = folder.parent_path()) {
    KINETIC_ASSIGN_OR_RETURN(const bool found, HasFile(fs, folder, ".git"));
    if (found) return folder;
  }
  return Path();
}

}  // namespace

Result<Root> FindRoot(FileSystem& fs, const Path& start, const std::optional<Path>& explicit_root,
                      const Path& home) {
  Path resolved_home;
  if (!home.empty()) {
    KINETIC_ASSIGN_OR_RETURN(resolved_home, ResolvePath(fs, home));
  }
  Root root;
  if (explicit_root) {
    KINETIC_ASSIGN_OR_RETURN(root, UseExplicitRoot(fs, start / *explicit_root, resolved_home));
  } else {
    KINETIC_ASSIGN_OR_RETURN(const Path folder, ResolveFolder(fs, start));
    KINETIC_ASSIGN_OR_RETURN(root, FindByMarker(fs, folder, resolved_home));
  }
  KINETIC_ASSIGN_OR_RETURN(root.repository, FindRepository(fs, root.path, resolved_home));
  return root;
}

}  // namespace kinetic::bundle
