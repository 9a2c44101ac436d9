#include "oci/inspect/tree.h"

#include "base/strings.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::string_view kWhiteout = ".wh.";
constexpr std::string_view kOpaque = ".wh..wh..opq";
constexpr std::string_view kMetadataPrefix = ".wh..wh.";  ///< aufs metadata
constexpr int kMaxLinks = 40;                             ///< as in Linux

std::vector<std::string_view> PartsOf(std::string_view path) {
  auto parts = Split(path, '/');
  std::erase_if(parts, [](std::string_view part) { return part.empty() || part == "."; });
  return parts;
}

std::string_view ParentFolder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view LastPart(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : std::string(folder) + "/" + std::string(name);
}

}  // namespace

/// Resolves all links in `path`, which need not exist. Returns nullopt after too many links.
std::optional<std::string> ImageTree::ResolveLinks(std::string_view path) const {
  std::vector<std::string> left;
  const auto add = [&](std::string_view more) {
    for (const std::string_view part : std::views::reverse(PartsOf(more))) left.emplace_back(part);
  };
  add(path);
  std::string at;
  for (int links = 0; !left.empty();) {
    const std::string part = std::move(left.back());
    left.pop_back();
    if (part == "..") {
      at = ParentFolder(at);
      continue;
    }
    std::string next = JoinPath(at, part);
    const auto node = nodes_.find(next);
    if (node == nodes_.end() || node->second.kind != LayerEntry::Kind::kSymlink) {
      at = std::move(next);
      continue;
    }
    if (++links > kMaxLinks) return std::nullopt;
    if (node->second.target.starts_with('/')) at.clear();
    add(node->second.target);
  }
  return at;
}

/// Resolves links in the parent of an entry, as unpacking would. Returns nullopt for a path outside
/// the image.
std::optional<std::string> ImageTree::ResolveEntry(std::string_view path) const {
  const auto parts = PartsOf(path);
  if (parts.empty() || std::ranges::find(parts, "..") != parts.end()) return std::nullopt;
  const std::string_view above =
      path.substr(0, static_cast<std::size_t>(parts.back().data() - path.data()));
  const auto folder = ResolveLinks(above);
  if (!folder) return std::nullopt;
  return JoinPath(*folder, parts.back());
}

void ImageTree::AddLayer(const std::vector<LayerEntry>& entries) {
  for (const LayerEntry& entry : entries) {
    const auto path = ResolveEntry(entry.path);
    if (!path || !LastPart(*path).starts_with(kWhiteout)) continue;
    const std::string folder(ParentFolder(*path));
    if (LastPart(*path) == kOpaque) {
      RemoveBelow(folder);
    } else if (!LastPart(*path).starts_with(kMetadataPrefix)) {
      const std::string hidden = JoinPath(folder, LastPart(*path).substr(kWhiteout.size()));
      RemoveBelow(hidden);
      nodes_.erase(hidden);
    }
  }
  for (const LayerEntry& entry : entries) AddEntry(entry);
}

void ImageTree::AddEntry(const LayerEntry& entry) {
  const auto path = ResolveEntry(entry.path);
  if (!path || LastPart(*path).starts_with(kWhiteout)) return;
  AddParentFolders(*path);
  if (entry.kind != LayerEntry::Kind::kFolder) RemoveBelow(*path);
  nodes_.insert_or_assign(*path, Node{entry.kind, entry.executable, entry.target});
}

void ImageTree::AddParentFolders(std::string_view path) {
  for (auto folder = ParentFolder(path); !folder.empty(); folder = ParentFolder(folder)) {
    const auto known = nodes_.find(folder);
    if (known != nodes_.end() && known->second.kind == LayerEntry::Kind::kFolder) return;
    nodes_.insert_or_assign(std::string(folder), Node{});
  }
}

void ImageTree::RemoveBelow(const std::string& folder) {
  if (folder.empty()) return nodes_.clear();
  const std::string begin = folder + "/";
  const std::string end = folder + static_cast<char>('/' + 1);
  nodes_.erase(nodes_.lower_bound(begin), nodes_.lower_bound(end));
}

std::optional<ImageTree::Match> ImageTree::Find(std::string_view path) const {
  const auto resolved = ResolveLinks(path);
  const auto node = resolved ? nodes_.find(*resolved) : nodes_.end();
  if (node == nodes_.end()) return std::nullopt;
  return Match{"/" + *resolved, &node->second};
}

std::vector<std::string> ImageTree::ListNames(const std::string& folder,
                                              std::string_view prefix) const {
  const std::string begin = JoinPath(PartsOf(folder).empty() ? "" : folder.substr(1), prefix);
  std::vector<std::string> names;
  for (auto at = nodes_.lower_bound(begin); at != nodes_.end() && at->first.starts_with(begin);
       ++at) {
    if (at->first.find('/', begin.size()) == std::string::npos) {
      names.emplace_back(LastPart(at->first));
    }
  }
  return names;
}

}  // namespace kinetic::oci
