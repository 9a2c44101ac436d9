#include "job/path_check.h"

#include <algorithm>
#include <filesystem>

namespace kinetic::job {
namespace {

/// Whether `path` is an entry or a folder above one; entries are sorted by path.
bool Travels(const std::vector<bundle::SourceEntry>& entries, const std::string& path) {
  if (path.empty() || path == ".") return true;
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), path,
                       [](const bundle::SourceEntry& entry, const std::string& wanted) {
                         return entry.path < wanted;
                       });
  if (found != entries.end() && found->path == path) return true;
  const std::string folder = path + "/";
  const auto inside =
      std::lower_bound(entries.begin(), entries.end(), folder,
                       [](const bundle::SourceEntry& entry, const std::string& wanted) {
                         return entry.path < wanted;
                       });
  return inside != entries.end() && inside->path.starts_with(folder);
}

/// The `$path` arguments in a value, at any depth.
void Collect(const Value& value, std::vector<std::string>& paths) {
  if (const auto* list = value.AsList()) {
    for (const auto& item : *list) Collect(item, paths);
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return;
  const Value* path = value.Find("$path");
  if (map->size() == 1 && path != nullptr && path->AsString() != nullptr) {
    paths.push_back(*path->AsString());
    return;
  }
  for (const auto& [key, item] : *map) Collect(item, paths);
}

}  // namespace

std::vector<std::string> AbsentPaths(const Arguments& arguments, const bundle::SourceTree& source) {
  std::vector<std::string> paths;
  for (const auto& value : arguments.positional) Collect(value, paths);
  for (const auto& [name, value] : arguments.named) Collect(value, paths);
  std::vector<std::string> absent;
  for (const auto& path : paths) {
    std::string plain = std::filesystem::path(path).lexically_normal().generic_string();
    if (plain.ends_with('/')) plain.pop_back();
    if (plain.starts_with('/') || Travels(source.entries, plain)) continue;
    if (std::find(absent.begin(), absent.end(), path) == absent.end()) absent.push_back(path);
  }
  return absent;
}

}  // namespace kinetic::job
