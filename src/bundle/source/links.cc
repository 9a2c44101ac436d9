#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/source/folder_reader.h"
#include "bundle/source/root.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kinetic::bundle {
namespace {

using LinksByPath = std::unordered_map<std::string_view, const SourceEntry*>;

std::string FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

void Prepend(std::deque<std::string_view>& parts, std::string_view path) {
  const auto split = Split(path, '/');
  parts.insert(parts.begin(), split.begin(), split.end());
}

struct LinkDestination {
  bool outside = false;
  std::string path;  ///< relative to the root; empty for the root
};

/// Resolves `target` relative to `folder`, through `links`. A cycle of links resolves to one of its
/// links: it is dangling wherever it is unpacked.
LinkDestination Follow(const LinksByPath& links, std::string_view folder, std::string_view target) {
  LinkDestination at{.outside = false, .path = std::string(folder)};
  if (target.starts_with('/')) return {.outside = true, .path = {}};
  std::deque<std::string_view> parts;
  Prepend(parts, target);
  for (int followed = 0; !parts.empty();) {
    const std::string_view part = parts.front();
    parts.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (at.path.empty()) return {.outside = true, .path = {}};
      at.path = FolderOf(at.path);
      continue;
    }
    std::string next = at.path.empty() ? std::string(part) : at.path + '/' + std::string(part);
    const auto link = links.find(next);
    if (link == links.end()) {
      at.path = std::move(next);
      continue;
    }
    if (link->second->link_target.starts_with('/')) return {.outside = true, .path = {}};
    if (++followed > kMaxLinks) return at;
    Prepend(parts, link->second->link_target);
  }
  return at;
}

/// Returns the relative target of a link from `path` to `destination`, both relative to the root.
std::string RelativeText(const std::string& path, const std::string& destination) {
  std::string text;
  for (auto depth = std::ranges::count(path, '/'); depth > 0; --depth) text += "../";
  text += destination;
  if (text.ends_with('/')) text.pop_back();
  return text.empty() ? "." : text;
}

/// Returns the relative target of a link if it resolves to a path inside the root.
Result<std::optional<std::string>> MakeRelative(FileSystem& fs, const Path& root,
                                                const SourceEntry& link) {
  const std::string& target = link.link_target;
  if (target.starts_with(root.native() + '/')) {
    return std::optional(RelativeText(link.path, target.substr(root.native().size() + 1)));
  }
  const Path absolute = root / FolderOf(link.path) / target;
  const auto resolved = ResolvePath(fs, absolute);
  if (!resolved || !IsWithin(*resolved, root)) return std::optional<std::string>();
  const std::string inside =
      *resolved == root ? std::string() : resolved->native().substr(root.native().size() + 1);
  return std::optional(RelativeText(link.path, inside));
}

bool IsBundled(const SourceTree& tree, const std::string& path) {
  if (path.empty()) return true;
  const auto found = std::ranges::lower_bound(tree.entries, path, {}, &SourceEntry::path);
  if (found != tree.entries.end() && found->path == path) return true;
  const std::string folder = path + '/';
  const auto below = std::ranges::lower_bound(tree.entries, folder, {}, &SourceEntry::path);
  return below != tree.entries.end() && below->path.starts_with(folder);
}

std::string FormatLink(const SourceEntry& link) {
  return Printable(link.path) + " -> " + Printable(link.link_target);
}

}  // namespace

Result<std::vector<Problem>> CheckLinks(FileSystem& fs, SourceTree& tree,
                                        const WalkOptions& options) {
  LinksByPath links;
  for (SourceEntry& entry : tree.entries) {
    if (entry.type != BundleEntry::Type::kSymlink) continue;
    if (Follow({}, FolderOf(entry.path), entry.link_target).outside) {
      KINETIC_ASSIGN_OR_RETURN(auto relative, MakeRelative(fs, tree.root, entry));
      if (relative) entry.link_target = *std::move(relative);
    }
    links.emplace(entry.path, &entry);
  }
  std::vector<Problem> problems;
  std::set<std::string, std::less<>> left_out;
  for (const auto& [path, link] : links) {
    const LinkDestination destination = Follow(links, FolderOf(path), link->link_target);
    if (destination.outside && !options.is_data) {
      tree.warnings.push_back("the link " + FormatLink(*link) +
                              " points outside the bundle and is left out");
      left_out.emplace(path);
    } else if (destination.outside) {
      problems.push_back({.kind = Problem::Kind::kEscapingLink,
                          .text = "the link " + FormatLink(*link) + " points outside the folder"});
    } else if (!IsBundled(tree, destination.path) && fs.Lstat(tree.root / destination.path)) {
      tree.warnings.push_back("the link " + FormatLink(*link) + " points to " +
                              Printable(destination.path) + ", which is not bundled");
    }
  }
  if (!left_out.empty()) {
    std::erase_if(tree.entries, [&](const auto& entry) { return left_out.contains(entry.path); });
  }
  return problems;
}

}  // namespace kinetic::bundle
