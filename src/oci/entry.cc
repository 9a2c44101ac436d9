#include "oci/entry.h"

#include "base/strings.h"
#include "base/try.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace kinetic::oci {
namespace {

Failure Refuse(const Entry& entry, std::string_view problem) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("image layer: '{}': {}", Printable(entry.path), problem));
}

Status Check(const Entry& entry) {
  if (entry.path.find('\0') != std::string::npos) return Refuse(entry, "a NUL in the path");
  for (const std::string_view name : Split(entry.path, '/')) {
    if (name.empty() || name == "." || name == "..")
      return Refuse(entry, "not a relative path in its shortest form");
  }
  if (entry.mode > 07777) return Refuse(entry, fmt::format("mode {:o}", entry.mode));
  const bool is_link = entry.kind == Entry::Kind::kSymlink;
  if (is_link && (entry.target.empty() || entry.target.find('\0') != std::string::npos))
    return Refuse(entry, "a link to nowhere");
  return {};
}

using ByPath = std::map<std::string, Entry, std::less<>>;

/// Adds the folders above `path` that are missing.
Status AddFoldersAbove(const std::string& path, ByPath& all) {
  for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    std::string folder = path.substr(0, slash);
    const auto [there, added] = all.try_emplace(folder, Entry::Folder(folder));
    if (there->second.kind != Entry::Kind::kFolder)
      return Refuse(there->second, fmt::format("no folder, but '{}' is below it", Printable(path)));
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

Result<std::vector<Entry>> Arrange(std::vector<Entry> entries) {
  ByPath all;
  std::vector<std::string> paths;
  for (Entry& entry : entries) {
    KINETIC_RETURN_IF_ERROR(Check(entry));
    paths.push_back(entry.path);
    const auto [there, added] = all.try_emplace(entry.path, std::move(entry));
    if (!added) return Refuse(there->second, "there twice");
  }
  for (const std::string& path : paths) KINETIC_RETURN_IF_ERROR(AddFoldersAbove(path, all));
  std::vector<Entry> arranged;
  arranged.reserve(all.size());
  for (auto& [path, entry] : all) arranged.push_back(std::move(entry));
  return arranged;
}

}  // namespace kinetic::oci
