#include "store/folder/object_file.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "store/damage.h"

#include <fmt/format.h>

#include <limits.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

namespace kinetic::store {
namespace {

constexpr std::size_t kFooterBytes = 4 + kTrailerMagic.size();
/// An entry adds four bytes to its key and value, and each key has at least one byte.
constexpr std::size_t kBlockBytes = 5 * kMetadataBytes;

void AppendNumber(std::string& out, std::size_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(number >> (8 * i) & 0xff));
}

std::size_t ReadNumber(std::string_view bytes) {
  std::size_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

std::optional<std::string_view> ReadText(std::string_view& block) {
  if (block.size() < 2) return std::nullopt;
  const std::size_t length = ReadNumber(block.substr(0, 2));
  block.remove_prefix(2);
  if (block.size() < length) return std::nullopt;
  const auto text = block.substr(0, length);
  block.remove_prefix(length);
  return text;
}

std::optional<Metadata> ParseBlock(std::string_view block) {
  Metadata metadata;
  while (!block.empty()) {
    const auto key = ReadText(block);
    if (!key) return std::nullopt;
    const auto value = ReadText(block);
    if (!value) return std::nullopt;
    metadata.insert_or_assign(std::string(*key), std::string(*value));
  }
  return metadata;
}

constexpr std::string_view kInvalidMetadata = "its metadata is invalid";

/// Returns the status of a path, or that of the folder in which it cannot be examined, unless this
/// is a folder for all objects of one kind.
Result<FileStatus> StatusOfDenied(FileSystem& fs, const Path& root, Path path) {
  auto status = fs.Lstat(path);
  while (!status && status.error().code == ErrorCode::kPermissionDenied) {
    path = path.parent_path();
    if (path == root || path.parent_path() == root) break;
    status = fs.Lstat(path);
  }
  return status;
}

/// Fills `buffer` from `offset` on. Returns false if the file is too short.
Result<bool> ReadFully(FileSystem& fs, int fd, std::span<char> buffer, std::uint64_t offset) {
  while (!buffer.empty()) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs.ReadAt(fd, buffer, offset));
    if (count == 0) return false;
    buffer = buffer.subspan(count);
    offset += count;
  }
  return true;
}

}  // namespace

std::string MakeTrailer(const Metadata& metadata, std::string_view last_bytes) {
  std::string trailer;
  if (metadata.empty() && last_bytes != kTrailerMagic) return trailer;
  for (const auto& [key, value] : metadata) {
    AppendNumber(trailer, key.size(), 2);
    trailer += key;
    AppendNumber(trailer, value.size(), 2);
    trailer += value;
  }
  AppendNumber(trailer, trailer.size(), 4);
  trailer += kTrailerMagic;
  return trailer;
}

std::int64_t GenerationOf(const FileStatus& status) {
  const auto inode = static_cast<std::int64_t>(status.inode & 0x7fff'ffff'ffff'ffffULL);
  if (status.birth_ns <= 0) return inode;
  // Microseconds since 1970 need 51 bits. The inode distinguishes files of one clock tick.
  return (status.birth_ns / 1000) << 12 | (inode & 0xfff);
}

ObjectInfo InfoOf(const FileStatus& status, std::string_view name) {
  return {.name = std::string(name),
          .size_bytes = status.size_bytes,
          .generation = GenerationOf(status),
          .metageneration = status.mtime_ns,
          .lease = status.ModifiedTime(),
          .metadata = {}};
}

ObjectInfo DamagedInfo(const FileStatus& status, std::string_view name, std::string_view damage) {
  ObjectInfo info = InfoOf(status, name);
  info.damage = damage;
  return info;
}

std::string DamageOf(FileType type) {
  return type == FileType::kSymlink ? "it is a symbolic link" : "it is not a regular file";
}

std::string DeniedDamage(const FileStatus& status) {
  return fmt::format("{} (owner: user {}, mode {:04o})", kDenied, status.owner, status.mode);
}

Result<std::optional<ObjectFile>> OpenObjectFile(FileSystem& fs, const Path& root,
                                                 std::string_view name) {
  // A missing folder would hide that the name is too long.
  const auto is_long = [](std::string_view part) { return part.size() > NAME_MAX; };
  if (std::ranges::any_of(Split(name, '/'), is_long)) {
    return Failure(ErrnoError(ENAMETOOLONG, "opening", name));
  }
  const Path path = root / name;
  auto fd = fs.Open(path, OpenMode::kRead, 0);
  if (fd) {
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Fstat(fd->get()));
    if (status.type == FileType::kRegular) return ObjectFile{*std::move(fd), status, {}};
    if (status.type == FileType::kDirectory) return std::nullopt;
    return ObjectFile{{}, status, DamageOf(status.type)};
  }
  if (fd.error().code == ErrorCode::kNotFound) return std::nullopt;
  const bool is_denied = fd.error().code == ErrorCode::kPermissionDenied;
  const auto status = StatusOfDenied(fs, root, path);
  if (!status) {
    const ErrorCode code = status.error().code;
    // kFailedPrecondition: it is below a link.
    if (code == ErrorCode::kNotFound || code == ErrorCode::kFailedPrecondition) return std::nullopt;
    return Failure(std::move(fd).error());
  }
  if (status->type == FileType::kSymlink || status->type == FileType::kOther) {
    return ObjectFile{{}, *status, DamageOf(status->type)};
  }
  if (!is_denied) return Failure(std::move(fd).error());
  return ObjectFile{{}, *status, DeniedDamage(*status)};
}

Result<ObjectInfo> ReadInfo(FileSystem& fs, const ObjectFile& file, std::string_view name) {
  if (!file.damage.empty()) return DamagedInfo(file.status, name, file.damage);
  ObjectInfo damaged = DamagedInfo(file.status, name, kInvalidMetadata);
  ObjectInfo info = InfoOf(file.status, name);
  const int fd = file.fd.get();
  const std::uint64_t size = info.size_bytes;
  if (size < kFooterBytes) return info;
  std::array<char, 1024> buffer;  // most trailers are shorter and need only one read
  const std::size_t length = std::min<std::uint64_t>(size, buffer.size());
  KINETIC_ASSIGN_OR_RETURN(bool whole,
                           ReadFully(fs, fd, std::span(buffer).first(length), size - length));
  if (!whole) return damaged;
  const std::string_view end(buffer.data(), length);
  if (!end.ends_with(kTrailerMagic)) return info;
  const std::size_t block_bytes = ReadNumber(end.substr(length - kFooterBytes, 4));
  if (block_bytes > kBlockBytes || block_bytes > size - kFooterBytes) return damaged;
  std::string block(block_bytes, '\0');
  if (block_bytes + kFooterBytes <= length) {
    block = end.substr(length - kFooterBytes - block_bytes, block_bytes);
  } else {
    KINETIC_ASSIGN_OR_RETURN(whole, ReadFully(fs, fd, block, size - kFooterBytes - block_bytes));
    if (!whole) return damaged;
  }
  auto metadata = ParseBlock(block);
  if (!metadata) return damaged;
  info.metadata = *std::move(metadata);
  info.size_bytes = size - kFooterBytes - block_bytes;
  return info;
}

}  // namespace kinetic::store
