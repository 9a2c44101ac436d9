#include "kinetic/try.h"

#include "base/strings.h"
#include "oci/layer/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace kinetic::oci {
namespace {

Failure InvalidEntry(const Entry& entry, std::string_view problem) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("image layer: '{}': {}", Printable(entry.path), problem));
}

Status CheckEntry(const Entry& entry) {
  if (entry.path.find('\0') != std::string::npos)
    return InvalidEntry(entry, "the path contains a NUL byte");
  for (const std::string_view name : Split(entry.path, '/')) {
    if (name.empty() || name == "." || name == "..")
      return InvalidEntry(entry, "not a normalized relative path");
  }
  if (entry.mode > 07777) return InvalidEntry(entry, fmt::format("mode {:o}", entry.mode));
  const bool is_link = entry.kind == Entry::Kind::kSymlink;
  if (is_link && (entry.target.empty() || entry.target.find('\0') != std::string::npos))
    return InvalidEntry(entry, "the link has no target");
  return {};
}

bool IsBefore(const Entry& one, const Entry& other) { return one.path < other.path; }

void AddParentFolders(std::vector<Entry>& entries) {
  std::set<std::string> paths;
  for (const Entry& entry : entries) paths.insert(entry.path);
  for (std::size_t i = 0, count = entries.size(); i < count; ++i) {
    const std::string path = entries[i].path;
    for (auto end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
      std::string folder = path.substr(0, end);
      if (paths.insert(folder).second) entries.push_back(Entry::Folder(std::move(folder)));
    }
  }
}

/// Checks that paths are unique and parents are folders.
Status CheckHierarchy(const std::vector<Entry>& sorted) {
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].path == sorted[i - 1].path) return InvalidEntry(sorted[i], "duplicate path");
  for (const Entry& entry : sorted) {
    const auto slash = entry.path.rfind('/');
    if (slash == std::string::npos) continue;
    const Entry folder = Entry::Folder(entry.path.substr(0, slash));
    const auto above = std::lower_bound(sorted.begin(), sorted.end(), folder, IsBefore);
    if (above->kind != Entry::Kind::kFolder)
      return InvalidEntry(*above,
                          fmt::format("not a folder, but '{}' is below it", Printable(entry.path)));
  }
  return {};
}

}  // namespace

Entry Entry::Folder(std::string path, std::uint32_t mode) {
  return {.path = std::move(path), .kind = Kind::kFolder, .mode = mode};
}

Entry Entry::FromFile(std::string path, Path source, std::uint32_t mode) {
  return {.path = std::move(path), .mode = mode, .source = std::move(source)};
}

Entry Entry::FromBytes(std::string path, std::string bytes, std::uint32_t mode) {
  return {.path = std::move(path), .mode = mode, .bytes = std::move(bytes)};
}

Entry Entry::Symlink(std::string path, std::string target) {
  return {
      .path = std::move(path), .kind = Kind::kSymlink, .mode = 0777, .target = std::move(target)};
}

Result<std::vector<Entry>> NormalizeEntries(std::vector<Entry> entries) {
  for (const Entry& entry : entries) KINETIC_RETURN_IF_ERROR(CheckEntry(entry));
  AddParentFolders(entries);
  std::sort(entries.begin(), entries.end(), IsBefore);
  KINETIC_RETURN_IF_ERROR(CheckHierarchy(entries));
  return entries;
}

}  // namespace kinetic::oci
