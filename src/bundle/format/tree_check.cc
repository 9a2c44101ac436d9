#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/format/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::bundle {
namespace {

constexpr int kMaxLinksFollowed = 40;  // as in Linux: more are considered a loop

Failure InvalidPath(std::string_view path, std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("path '{}' {}", Printable(path), what));
}

Status CheckPath(std::string_view path) {
  if (path.empty()) return InvalidPath(path, "is empty");
  if (path.size() > kMaxPathBytes) return InvalidPath(path.substr(0, 64), "is too long");
  if (path.front() == '/') return InvalidPath(path, "is absolute");
  if (path.find('\0') != path.npos) return InvalidPath(path, "contains a NUL character");
  std::size_t depth = 0;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const auto part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") {
      return InvalidPath(path, "has an empty, '.' or '..' part");
    }
    if (part.size() > kMaxNameBytes) return InvalidPath(path, "has a part longer than 255 bytes");
    if (++depth > kMaxDepth) return InvalidPath(path, "has too many parts");
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

/// Checks that no parent of `path` is an entry. Looks up only the parents that `previous` does not
/// have.
Status CheckParents(std::span<const TreeEntry> entries, std::string_view path,
                    std::string_view previous) {
  const auto differ = std::mismatch(path.begin(), path.end(), previous.begin(), previous.end());
  const auto shared = static_cast<std::size_t>(differ.first - path.begin());
  for (auto slash = path.find('/', shared); slash != path.npos; slash = path.find('/', slash + 1)) {
    if (FindEntry(entries, path.substr(0, slash)) != nullptr) {
      return InvalidPath(path.substr(0, slash), "is both an entry and the parent of another");
    }
  }
  return {};
}

void PushParts(std::vector<std::string_view>& pending, std::string_view path) {
  auto parts = Split(path, '/');
  pending.insert(pending.end(), parts.rbegin(), parts.rend());
}

/// Follows a link like the kernel, through the other links of the tree.
Status CheckLink(std::span<const TreeEntry> entries, const TreeEntry& link) {
  const std::string_view target = link.link_target;
  if (target.empty() || target.size() > kMaxPathBytes || target.find('\0') != target.npos) {
    return InvalidPath(link.path, "is a link without a usable target");
  }
  if (target.front() == '/') return InvalidPath(link.path, "is a link to an absolute path");
  std::vector<std::string_view> pending;
  PushParts(pending, target);
  std::string location = link.path.substr(0, std::min(link.path.rfind('/'), link.path.size()));
  if (link.path.find('/') == std::string::npos) location.clear();
  int followed = 1;
  while (!pending.empty()) {
    const auto part = pending.back();
    pending.pop_back();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (location.empty()) return InvalidPath(link.path, "is a link to a path outside the tree");
      const auto slash = location.rfind('/');
      location.resize(slash == std::string::npos ? 0 : slash);
      continue;
    }
    const std::size_t before = location.size();
    if (!location.empty()) location += '/';
    location += part;
    const TreeEntry* entry = FindEntry(entries, location);
    if (entry == nullptr || entry->type != BundleEntry::Type::kSymlink) continue;
    if (++followed > kMaxLinksFollowed) return {};
    if (entry->link_target.starts_with('/')) {
      return InvalidPath(link.path, "is a link to a path outside the tree");
    }
    location.resize(before);
    PushParts(pending, entry->link_target);
  }
  return {};
}

}  // namespace

Status CheckEntries(std::span<const TreeEntry> entries) {
  if (entries.size() > kMaxEntries) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} entries, expected at most {}", entries.size(), kMaxEntries));
  }
  std::string_view previous;
  for (const auto& entry : entries) {
    KINETIC_RETURN_IF_ERROR(CheckPath(entry.path));
    if (entry.path <= previous) return InvalidPath(entry.path, "is out of order or duplicate");
    if (entry.size_bytes > kMaxFileBytes) return InvalidPath(entry.path, "is larger than 16 TiB");
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
