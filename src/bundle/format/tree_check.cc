#include "base/strings.h"
#include "base/try.h"
#include "bundle/format/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::bundle {
namespace {

constexpr int kMaxLinksFollowed = 40;  // as Linux: more is a loop, which leads nowhere

Failure Refuse(std::string_view path, std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("path '{}' {}", Printable(path), what));
}

Status CheckPath(std::string_view path) {
  if (path.empty()) return Refuse(path, "is empty");
  if (path.size() > kMaxPathBytes) return Refuse(path.substr(0, 64), "is too long");
  if (path.front() == '/') return Refuse(path, "is absolute");
  if (path.find('\0') != path.npos) return Refuse(path, "holds a NUL");
  std::size_t depth = 0;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const auto part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") {
      return Refuse(path, "has an empty, '.' or '..' part");
    }
    if (part.size() > kMaxNameBytes) return Refuse(path, "has a part above 255 bytes");
    if (++depth > kMaxDepth) return Refuse(path, "has too many parts");
    begin = end + 1;
  }
  return {};
}

const TreeEntry* FindEntry(std::span<const TreeEntry> entries, std::string_view path) {
  const auto at = std::lower_bound(
      entries.begin(), entries.end(), path,
      [](const TreeEntry& entry, std::string_view wanted) { return entry.path < wanted; });
  return at != entries.end() && at->path == path ? &*at : nullptr;
}

/// Refuses an entry that stands where a folder must be. Neighbours share their parents mostly, so
/// only what differs from `previous` is looked up.
Status CheckParents(std::span<const TreeEntry> entries, std::string_view path,
                    std::string_view previous) {
  const auto differ = std::mismatch(path.begin(), path.end(), previous.begin(), previous.end());
  const auto shared = static_cast<std::size_t>(differ.first - path.begin());
  for (auto slash = path.find('/', shared); slash != path.npos; slash = path.find('/', slash + 1)) {
    if (FindEntry(entries, path.substr(0, slash)) != nullptr) {
      return Refuse(path.substr(0, slash), "is an entry and the parent of another");
    }
  }
  return {};
}

void PushParts(std::vector<std::string_view>& todo, std::string_view path) {
  auto parts = Split(path, '/');
  todo.insert(todo.end(), parts.rbegin(), parts.rend());
}

/// Follows a link as the kernel would, through the other links of the tree.
Status CheckLink(std::span<const TreeEntry> entries, const TreeEntry& link) {
  const std::string_view target = link.link_target;
  if (target.empty() || target.size() > kMaxPathBytes || target.find('\0') != target.npos) {
    return Refuse(link.path, "is a link without a usable target");
  }
  if (target.front() == '/') return Refuse(link.path, "is a link to an absolute path");
  std::vector<std::string_view> todo;
  PushParts(todo, target);
  std::string place = link.path.substr(0, std::min(link.path.rfind('/'), link.path.size()));
  if (link.path.find('/') == std::string::npos) place.clear();
  int followed = 1;
  while (!todo.empty()) {
    const auto part = todo.back();
    todo.pop_back();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (place.empty()) return Refuse(link.path, "is a link that leads out of the tree");
      const auto slash = place.rfind('/');
      place.resize(slash == std::string::npos ? 0 : slash);
      continue;
    }
    const std::size_t before = place.size();
    if (!place.empty()) place += '/';
    place += part;
    const TreeEntry* entry = FindEntry(entries, place);
    if (entry == nullptr || entry->type != BundleEntry::Type::kSymlink) continue;
    if (++followed > kMaxLinksFollowed) return {};
    if (entry->link_target.starts_with('/')) {
      return Refuse(link.path, "is a link that leads out of the tree");
    }
    place.resize(before);
    PushParts(todo, entry->link_target);
  }
  return {};
}

}  // namespace

Status CheckEntries(std::span<const TreeEntry> entries) {
  if (entries.size() > kMaxEntries) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} entries, at most {} are possible", entries.size(), kMaxEntries));
  }
  std::string_view previous;
  for (const auto& entry : entries) {
    KINETIC_RETURN_IF_ERROR(CheckPath(entry.path));
    if (entry.path <= previous) return Refuse(entry.path, "is out of order or there twice");
    if (entry.size_bytes > kMaxFileBytes) return Refuse(entry.path, "is larger than 16 TiB");
    previous = entry.path;
  }
  previous = {};
  for (const auto& entry : entries) {
    KINETIC_RETURN_IF_ERROR(CheckParents(entries, entry.path, previous));
    if (entry.type == BundleEntry::Type::kSymlink) {
      KINETIC_RETURN_IF_ERROR(CheckLink(entries, entry));
    }
    previous = entry.path;
  }
  return {};
}

}  // namespace kinetic::bundle
