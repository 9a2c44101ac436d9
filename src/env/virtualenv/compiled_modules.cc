#include "env/virtualenv/compiled_modules.h"

#include "kinetic/try.h"

#include "env/tool_options.h"
#include "env/virtualenv/seal.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kinetic::env {
namespace {

/// Limits the lookups for each folder without compiled modules.
constexpr std::size_t kMaxEnvironments = 3;

/// A compiled module contains the modification time of its source. Hard links from uv's cache share
/// it.
bool AreSame(FileSystem& fs, const Path& one, const Path& other) {
  const auto a = fs.Lstat(one);
  const auto b = fs.Lstat(other);
  return a && b && a->inode == b->inode && a->device == b->device;
}

/// Links the compiled modules of the same files in the folder `from`. Returns whether it linked
/// any. Python compiles the others again.
bool LinkFrom(FileSystem& fs, const Path& from, const Path& to) {
  const auto entries = fs.ReadDirectory(from / kCompiledFolder);
  if (!entries) return false;
  bool found = false;
  for (const auto& entry : *entries) {  // "name.cpython-312.pyc"
    const std::string source = entry.name.substr(0, entry.name.find('.')) + ".py";
    if (!entry.name.ends_with(".pyc") || !AreSame(fs, from / source, to / source)) continue;
    const Path compiled = Path(kCompiledFolder) / entry.name;
    found = fs.Link(from / compiled, to / compiled).has_value() || found;
  }
  return found;
}

}  // namespace

std::vector<Path> RecentEnvironments(FileSystem& fs, const Path& cache_dir,
                                     std::string_view except) {
  const EnvironmentCacheLayout folder{cache_dir};
  std::vector<std::pair<std::int64_t, Path>> found;
  const auto entries = fs.ReadDirectory(folder.Environments());
  if (!entries) return {};
  for (const auto& entry : *entries) {
    const bool is_other = EnvironmentCacheLayout::IsId(entry.name) && entry.name != except;
    if (!is_other || !HasSealedTime(fs, folder.Root(entry.name))) continue;
    const auto marker = fs.Lstat(folder.Marker(entry.name));
    if (marker) found.emplace_back(marker->mtime_ns, folder.Root(entry.name));
  }
  std::ranges::sort(found, std::ranges::greater());
  if (found.size() > kMaxEnvironments) found.resize(kMaxEnvironments);
  std::vector<Path> roots;
  roots.reserve(found.size());
  for (auto& [used, root] : found) roots.push_back(std::move(root));
  return roots;
}

Status AddCompiledModules(FileSystem& fs, const Path& root, const Path& folder,
                          std::span<const DirectoryEntry> entries, std::span<const Path> others) {
  bool has_modules = false;
  for (const auto& entry : entries) {
    if (entry.name == kCompiledFolder) return {};  // part of a wheel
    has_modules = has_modules || entry.name.ends_with(".py");
  }
  if (!has_modules) return {};
  KINETIC_RETURN_IF_ERROR(fs.MakeDirectory(root / folder / kCompiledFolder, 0755));
  for (const Path& other : others) {
    if (LinkFrom(fs, other / folder, root / folder)) break;
  }
  return {};
}

}  // namespace kinetic::env
