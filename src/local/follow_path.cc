#include "local/follow_path.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <deque>
#include <utility>
#include <vector>

namespace kinetic::local {
namespace {

constexpr int kMaxLinks = 40;

void Prepend(std::deque<std::string>& parts, std::string_view path) {
  std::deque<std::string> all;
  for (const std::string_view part : Split(path, '/')) {
    if (!part.empty() && part != ".") all.emplace_back(part);
  }
  parts.insert(parts.begin(), all.begin(), all.end());
}

/// Returns false for an absolute target that is not in the folder.
bool PrependTarget(std::deque<std::string>& parts, std::string_view target, const Path& folder,
                   Destination& at) {
  if (target.starts_with('/')) {
    const std::string& root = folder.native();
    if (!target.starts_with(root)) return false;
    target.remove_prefix(root.size());
    if (!target.empty() && !target.starts_with('/')) return false;
    at.path.clear();
  }
  Prepend(parts, target);
  return true;
}

}  // namespace

std::optional<Destination> FollowPath(FileSystem& fs, const Path& folder, std::string_view path) {
  const auto in = [&](const std::string& relative) {
    return relative.empty() ? folder : folder / relative;
  };
  std::deque<std::string> parts;
  Prepend(parts, path);
  Destination at{{}, {.type = FileType::kDirectory}};
  for (int links = 0; !parts.empty();) {
    const std::string part = std::move(parts.front());
    parts.pop_front();
    if (part == "..") {
      if (at.path.empty()) return std::nullopt;
      const std::size_t slash = at.path.rfind('/');
      at.path.resize(slash == std::string::npos ? 0 : slash);
      at.status = {.type = FileType::kDirectory};
      continue;
    }
    std::string next = at.path.empty() ? part : at.path + "/" + part;
    const auto status = fs.Lstat(in(next));
    if (!status) return std::nullopt;
    if (status->type != FileType::kSymlink) {
      at = {std::move(next), *status};
      continue;
    }
    const auto target = fs.ReadLink(in(next));
    if (!target || ++links > kMaxLinks) return std::nullopt;
    if (!PrependTarget(parts, *target, folder, at)) return std::nullopt;
  }
  return at;
}

std::string NearestEntryHint(FileSystem& fs, const Path& folder, const std::string& name) {
  const auto entries = fs.ReadDirectory(folder);
  if (!entries) return {};
  std::vector<std::string> names;
  names.reserve(entries->size());
  for (const auto& entry : *entries) names.push_back(entry.name);
  const auto nearest = Nearest(name, names);
  return nearest ? fmt::format("did you mean '{}'?", Printable(*nearest)) : std::string();
}

}  // namespace kinetic::local
