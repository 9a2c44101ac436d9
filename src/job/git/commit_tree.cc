#include "base/git_objects.h"
#include "base/strings.h"
#include "job/git/repository.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

constexpr std::uint64_t kMaxLooseBytes = 1U << 20;
constexpr std::uint64_t kMaxAlternatesBytes = 64U << 10;
constexpr std::size_t kStartBytes = 512;  ///< enough for the line with the tree
constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kFanoutBytes = 1024;
constexpr std::string_view kIndexHeader("\377tOc\0\0\0\2", kHeaderBytes);
constexpr unsigned kCommitType = 1;

std::optional<std::string> FromHex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  }
  return bytes;
}

/// A commit starts with "tree {id}\n".
std::optional<std::string> ParseTree(std::string_view commit, std::size_t hex_digits) {
  if (!commit.starts_with("tree ")) return std::nullopt;
  const auto id = commit.substr(5, commit.find('\n') - 5);
  if (id.size() != hex_digits || !IsGitObjectId(id)) return std::nullopt;
  return FromHex(id);
}

/// A regular file that is read in pieces.
class PieceReader {
 public:
  static std::optional<PieceReader> Open(FileSystem& fs, const Path& path) {
    const auto status = fs.Lstat(path);
    if (!status || status->type != FileType::kRegular) return std::nullopt;
    auto fd = fs.Open(path, OpenMode::kRead, 0);
    if (!fd) return std::nullopt;
    return PieceReader(fs, *std::move(fd));
  }

  /// Returns fewer bytes at the end of the file or after an error.
  std::string Read(std::uint64_t offset, std::size_t count) const {
    std::string bytes(count, '\0');
    std::size_t done = 0;
    while (done < count) {
      const auto read = fs_->ReadAt(fd_.get(), std::span(bytes).subspan(done), offset + done);
      if (!read || *read == 0) break;
      done += *read;
    }
    bytes.resize(done);
    return bytes;
  }
  std::uint64_t Number(std::uint64_t offset, std::size_t bytes) const {
    std::uint64_t value = 0;
    for (const char c : Read(offset, bytes)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }

 private:
  PieceReader(FileSystem& fs, UniqueFd fd) : fs_(&fs), fd_(std::move(fd)) {}
  FileSystem* fs_;
  UniqueFd fd_;
};

/// Searches the index of a pack for an object. Returns its offset in the pack.
std::optional<std::uint64_t> FindInPack(FileSystem& fs, const Path& index, const std::string& id) {
  const auto file = PieceReader::Open(fs, index);
  if (!file || file->Read(0, kHeaderBytes) != kIndexHeader) return std::nullopt;
  const auto up_to = [&](std::size_t byte) { return file->Number(kHeaderBytes + byte * 4, 4); };
  const std::size_t first_byte = static_cast<unsigned char>(id[0]);
  std::uint64_t low = first_byte == 0 ? 0 : up_to(first_byte - 1);
  std::uint64_t high = up_to(first_byte);
  const std::uint64_t count = up_to(255);
  const std::uint64_t ids = kHeaderBytes + kFanoutBytes;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const std::string found = file->Read(ids + middle * id.size(), id.size());
    if (found == id) {
      const std::uint64_t offsets = ids + count * (id.size() + 4);  // after the checksums
      const std::uint64_t offset = file->Number(offsets + middle * 4, 4);
      constexpr std::uint64_t kIsLarge = 1U << 31;
      if ((offset & kIsLarge) == 0) return offset;
      return file->Number(offsets + count * 4 + (offset & ~kIsLarge) * 8, 8);
    }
    if (found < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

std::optional<std::string> ReadPacked(FileSystem& fs, const Path& pack, std::uint64_t offset) {
  const auto file = PieceReader::Open(fs, pack);
  if (!file) return std::nullopt;
  // Compression grows 512 bytes by less than this.
  const std::string bytes = file->Read(offset, 4 * kStartBytes);
  // The first byte holds the type; the size follows in groups of seven bits.
  std::size_t header = 0;
  while (header < bytes.size() && (bytes[header] & 0x80) != 0) ++header;
  if (bytes.empty() || (static_cast<unsigned char>(bytes[0]) >> 4 & 7U) != kCommitType) {
    return std::nullopt;
  }
  return InflateStart(std::string_view(bytes).substr(header + 1), kStartBytes);
}

/// Returns the first bytes of a commit in one object folder, without the header of loose objects.
std::optional<std::string> FindCommit(FileSystem& fs, const Path& objects, std::string_view commit,
                                      const std::string& id) {
  const Path loose = objects / commit.substr(0, 2) / commit.substr(2);
  if (const auto bytes = ReadGitFile(fs, loose, kMaxLooseBytes)) {
    auto start = InflateStart(*bytes, kStartBytes);
    if (!start || !start->starts_with("commit ")) return std::nullopt;
    return start->substr(std::min(start->find('\0') + 1, start->size()));
  }
  const auto packs = fs.ReadDirectory(objects / "pack");
  if (!packs) return std::nullopt;
  for (const auto& entry : *packs) {
    if (!entry.name.ends_with(".idx")) continue;
    Path file = objects / "pack" / entry.name;
    if (const auto offset = FindInPack(fs, file, id)) {
      return ReadPacked(fs, file.replace_extension(".pack"), *offset);
    }
  }
  return std::nullopt;
}

/// Returns the object folders of a repository: its own and those that it borrows from.
std::vector<Path> ObjectFolders(FileSystem& fs, const GitRepository& repository) {
  std::vector<Path> folders{repository.common / "objects"};
  const auto alternates =
      ReadGitFile(fs, folders[0] / "info" / "alternates", kMaxAlternatesBytes).value_or("");
  for (const auto line : Split(alternates, '\n')) {
    if (!line.empty() && !line.starts_with('#')) folders.push_back(folders[0] / line);
  }
  return folders;
}

}  // namespace

std::optional<std::string> ReadCommitTree(FileSystem& fs, const GitRepository& repository,
                                          std::string_view commit) {
  const auto id = FromHex(commit);
  for (const Path& objects : ObjectFolders(fs, repository)) {
    if (const auto start = FindCommit(fs, objects, commit, *id)) {
      return ParseTree(*start, commit.size());
    }
  }
  return std::nullopt;
}

}  // namespace kinetic::job
