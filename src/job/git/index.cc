#include "base/git_objects.h"
#include "base/strings.h"
#include "job/git/repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::uint32_t kFolderMode = 040000;

/// Reads big-endian numbers and strings. After a read past the end, `ok` is false and all values
/// are empty.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  std::size_t left() const { return rest_.size(); }

  std::string_view Take(std::size_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::uint32_t U16() { return Number(2); }
  std::uint32_t U32() { return Number(4); }
  /// Takes the text before `end`, and `end`.
  std::string_view Until(char end) {
    const auto at = rest_.find(end);
    if (at == std::string_view::npos) return Take(rest_.size() + 1);
    const auto text = Take(at);
    Take(1);
    return text;
  }
  /// The offset encoding of packs: each continuation adds one, so that no value has two encodings.
  std::size_t Offset() {
    std::size_t value = 0;
    for (bool more = true; more && ok_;) {
      const std::uint32_t byte = Number(1);
      value = (value << 7) + (byte & 0x7F);
      more = (byte & 0x80) != 0;
      if (more) ++value;
    }
    return value;
  }

 private:
  std::uint32_t Number(std::size_t bytes) {
    std::uint32_t value = 0;
    for (const char c : Take(bytes)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

/// Reads an entry's path, which follows its fixed fields. Paths of version 4 are relative to the
/// previous path; others are padded to a multiple of eight bytes.
std::string_view ReadPath(Cursor& cursor, std::uint32_t version, std::size_t fixed_bytes,
                          GitIndex& index) {
  if (version == 4) {
    const std::string_view previous = index.paths.empty() ? std::string_view() : index.paths.back();
    const std::size_t removed = cursor.Offset();
    const std::size_t kept = previous.size() - std::min(removed, previous.size());
    std::string path(previous.substr(0, kept));
    path += cursor.Until('\0');
    return index.paths.emplace_back(std::move(path));
  }
  const auto path = cursor.Until('\0');
  cursor.Take((8 - (fixed_bytes + path.size() + 1) % 8) % 8);
  return path;
}

GitIndexEntry ReadEntry(Cursor& cursor, std::uint32_t version, std::size_t id_bytes,
                        GitIndex& index) {
  const std::size_t before = cursor.left();
  GitIndexEntry entry;
  entry.ctime_s = cursor.U32();
  entry.ctime_ns = cursor.U32();
  entry.mtime_s = cursor.U32();
  entry.mtime_ns = cursor.U32();
  cursor.U32();  // device
  entry.inode = cursor.U32();
  entry.mode = cursor.U32();
  cursor.Take(8);  // owner and group
  entry.size = cursor.U32();
  entry.id = cursor.Take(id_bytes);
  const std::uint32_t flags = cursor.U16();
  const std::uint32_t more_flags = (flags & 0x4000) != 0 ? cursor.U16() : 0;
  entry.is_conflict = (flags & 0x3000) != 0;
  entry.is_assumed_clean = (flags & 0x8000) != 0 || (more_flags & 0x4000) != 0;
  entry.is_intent_to_add = (more_flags & 0x2000) != 0;
  entry.path = ReadPath(cursor, version, before - cursor.left(), index);
  return entry;
}

/// Reads the root of the extension TREE. Its entry count is -1 if entries changed since it was
/// written.
std::string ReadCachedTree(std::string_view extension, std::size_t id_bytes) {
  Cursor cursor(extension);
  const bool is_root = cursor.Until('\0').empty();
  const auto count = ParseInt(cursor.Until(' '));
  cursor.Until('\n');
  if (!is_root || count.value_or(-1) < 0) return {};
  return std::string(cursor.Take(id_bytes));
}

/// Computes the IDs of the trees of an index.
class TreeHasher {
 public:
  TreeHasher(std::span<const GitIndexEntry> entries, std::size_t id_bytes)
      : entries_(entries), id_bytes_(id_bytes) {}

  /// Returns the ID of the folder `prefix` ("a/b/"), whose entries start at next_.
  std::string Folder(const std::string& prefix) {
    std::string content;
    const auto add = [&](std::uint32_t mode, std::string_view name, std::string_view id) {
      content += fmt::format("{:o} {}", mode, name);
      content += '\0';
      content += id;
    };
    while (next_ < entries_.size() && entries_[next_].path.starts_with(prefix)) {
      const GitIndexEntry& entry = entries_[next_];
      const std::string_view rest = entry.path.substr(prefix.size());
      const auto slash = rest.find('/');
      if (slash == std::string_view::npos) {
        add(entry.mode, rest, entry.id);
        ++next_;
        continue;
      }
      const std::string name(rest.substr(0, slash));
      const std::string id = Folder(prefix + name + '/');
      add(kFolderMode, name, id);
    }
    return GitHash(id_bytes_)
        .Update(fmt::format("tree {}", content.size()) + '\0')
        .Update(content)
        .Finish();
  }

 private:
  std::span<const GitIndexEntry> entries_;
  std::size_t id_bytes_;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<GitIndex> ParseGitIndex(std::string bytes, std::size_t id_bytes) {
  GitIndex index;
  index.bytes = std::move(bytes);
  Cursor cursor(index.bytes);
  if (cursor.Take(4) != "DIRC") return std::nullopt;
  const std::uint32_t version = cursor.U32();
  const std::uint32_t count = cursor.U32();
  if (version < 2 || version > 4) return std::nullopt;
  // An entry has more bytes than its ID.
  index.entries.reserve(std::min<std::size_t>(count, index.bytes.size() / id_bytes));
  for (std::uint32_t i = 0; i < count; ++i) {
    const GitIndexEntry entry = ReadEntry(cursor, version, id_bytes, index);
    if (!cursor.ok() || entry.path.empty() || entry.path.size() > kMaxPathBytes) {
      return std::nullopt;
    }
    if (entry.mode == kFolderMode) return std::nullopt;  // a sparse index
    index.entries.push_back(entry);
  }
  while (cursor.left() > id_bytes) {  // the checksum follows
    const auto name = cursor.Take(4);
    const auto content = cursor.Take(cursor.U32());
    if (!cursor.ok()) return std::nullopt;
    if (name == "TREE") index.tree = ReadCachedTree(content, id_bytes);
    // Extensions with lower-case names change the meaning of the entries: split, sparse.
    if (name[0] >= 'a' && name[0] <= 'z') return std::nullopt;
  }
  return index;
}

std::string TreeOfGitIndex(const GitIndex& index, std::size_t id_bytes) {
  return TreeHasher(index.entries, id_bytes).Folder("");
}

}  // namespace kinetic::job
