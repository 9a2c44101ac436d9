#include "runner/outcome/unkept_files.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::runner {
namespace {

constexpr std::size_t kMaxEntries = 10'000;
constexpr int kMaxDepth = 64;
constexpr std::size_t kShown = 3;

bool IsIncidental(std::string_view name) {
  return name.starts_with('.') || name == "__pycache__" || name.ends_with(".pyc");
}

struct NewFiles {
  std::vector<std::string> paths;
  std::uint64_t bytes = 0;
  bool complete = true;
};

NewFiles FindNewFiles(FileSystem& fs, const Path& work, WallTime since) {
  NewFiles found;
  std::vector<std::pair<Path, int>> folders{{{}, 0}};  // with their depth
  for (std::size_t seen = 0; !folders.empty();) {
    const auto [folder, depth] = std::move(folders.back());
    folders.pop_back();
    if (depth > kMaxDepth) {
      found.complete = false;
      continue;
    }
    const auto entries = fs.ReadDirectory(work / folder);
    if (!entries) continue;  // the program may have removed it, or its permissions
    for (const DirectoryEntry& entry : *entries) {
      if (IsIncidental(entry.name)) continue;
      if (++seen > kMaxEntries) {
        found.complete = false;
        return found;
      }
      if (entry.type == FileType::kDirectory) folders.emplace_back(folder / entry.name, depth + 1);
      if (entry.type != FileType::kRegular) continue;
      const auto status = fs.Lstat(work / folder / entry.name);
      if (!status || FromMicros(status->mtime_ns / 1000) <= since) continue;
      found.paths.push_back((folder / entry.name).native());
      found.bytes += status->size_bytes;
    }
  }
  return found;
}

}  // namespace

std::optional<std::string> UnkeptFilesNote(FileSystem& fs, const Path& work, WallTime since) {
  NewFiles found = FindNewFiles(fs, work, since);
  if (found.paths.empty()) return std::nullopt;
  std::ranges::sort(found.paths);
  const std::size_t count = found.paths.size();
  found.paths.resize(std::min(count, kShown));
  for (std::string& path : found.paths) path = Printable(path);
  return fmt::format(
      "not kept: {}{} {} in the working folder ({}): {}{}; to keep files, write them to "
      "$KINETIC_OUTPUT_DIR",
      found.complete ? "" : "at least ", count, count == 1 ? "file" : "files",
      FormatBytes(found.bytes), fmt::join(found.paths, ", "), count > kShown ? ", …" : "");
}

}  // namespace kinetic::runner
