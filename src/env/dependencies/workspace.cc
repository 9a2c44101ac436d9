#include "env/dependencies/workspace.h"

#include "base/strings.h"
#include "env/dependencies/manifest_build.h"
#include "env/dependencies/text.h"
#include "json/parse.h"

#include <string>
#include <utility>

namespace kinetic::env {
namespace {

constexpr const char* kProjectFile = "pyproject.toml";

/// A folder with a pyproject.toml.
struct Project {
  Path folder;
  Value document;

  const Value* UvTable() const {
    const Value* const tool = document.Find("tool");
    return tool != nullptr ? tool->Find("uv") : nullptr;
  }
  const Value* Workspace() const {
    const Value* const uv = UvTable();
    return uv != nullptr ? uv->Find("workspace") : nullptr;
  }
  bool IsManaged() const {
    const Value* const uv = UvTable();
    const Value* const managed = uv != nullptr ? uv->Find("managed") : nullptr;
    return managed == nullptr || *managed != Value(false);
  }
};

/// Returns the nearest project at or above a folder.
std::optional<Project> NearestProject(FileSystem& fs, Path folder) {
  for (;; folder = folder.parent_path()) {
    if (auto document = ReadTomlIfValid(fs, folder / kProjectFile)) {
      return Project{folder, *std::move(document)};
    }
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

/// Returns whether one of a workspace's patterns, such as "packages/*", matches a folder.
bool HasMatch(const Value* patterns, const Path& root, const Path& folder) {
  if (patterns == nullptr || patterns->AsList() == nullptr) return false;
  for (const Value& pattern : *patterns->AsList()) {
    if (pattern.AsString() == nullptr) continue;
    Path path = (root / *pattern.AsString()).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    if (MatchesWildcard(folder.native(), path.native())) return true;
  }
  return false;
}

}  // namespace

std::optional<Value> ReadTomlIfValid(FileSystem& fs, const Path& path) {
  auto bytes = ReadRegularFile(fs, path, kMaxDependencyFileBytes);
  if (!bytes) return std::nullopt;
  const auto text = DecodeText(*std::move(bytes));
  if (!text) return std::nullopt;
  auto document = json::ParseToml(*text);
  return document ? std::optional(*std::move(document)) : std::nullopt;
}

std::optional<Path> FindWorkspaceRoot(FileSystem& fs, const Path& folder) {
  const auto project = NearestProject(fs, folder.lexically_normal());
  if (!project || !project->IsManaged()) return std::nullopt;
  if (project->Workspace() != nullptr) return project->folder;
  if (project->folder == project->folder.parent_path()) return std::nullopt;
  const auto above = NearestProject(fs, project->folder.parent_path());
  const Value* const workspace = above && above->IsManaged() ? above->Workspace() : nullptr;
  if (workspace == nullptr) return std::nullopt;
  if (HasMatch(workspace->Find("exclude"), above->folder, project->folder)) return std::nullopt;
  if (!HasMatch(workspace->Find("members"), above->folder, project->folder)) return std::nullopt;
  return above->folder;
}

Path FindSettingsRoot(FileSystem& fs, const Path& folder) {
  if (auto root = FindWorkspaceRoot(fs, folder)) return *std::move(root);
  auto project = NearestProject(fs, folder);
  const bool is_used =
      project && project->IsManaged() && project->document.Find("project") != nullptr;
  return is_used ? std::move(project)->folder : folder;
}

}  // namespace kinetic::env
