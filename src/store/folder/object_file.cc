#include "store/folder/object_file.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <array>
#include <optional>

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

Failure Damaged(std::string_view name) {
  return Fail(ErrorCode::kDataLoss, "object " + Printable(name) + ": its metadata is damaged",
              "check the store's disk, and that only kinetic writes to the store's folder");
}

/// Fills `buffer` from `offset` on. A file that is too short is damaged.
Status ReadFully(FileSystem& fs, int fd, std::span<char> buffer, std::uint64_t offset,
                 std::string_view name) {
  while (!buffer.empty()) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs.ReadAt(fd, buffer, offset));
    if (count == 0) return Damaged(name);
    buffer = buffer.subspan(count);
    offset += count;
  }
  return {};
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
          .lease = WallTime(std::chrono::duration_cast<WallTime::duration>(
              std::chrono::nanoseconds(status.mtime_ns))),
          .metadata = {}};
}

Result<ObjectInfo> ReadInfo(FileSystem& fs, int fd, const FileStatus& status,
                            std::string_view name) {
  ObjectInfo info = InfoOf(status, name);
  const std::uint64_t size = status.size_bytes;
  if (size < kFooterBytes) return info;
  std::array<char, 1024> buffer;  // most trailers are shorter and need only one read
  const std::size_t length = std::min<std::uint64_t>(size, buffer.size());
  KINETIC_RETURN_IF_ERROR(ReadFully(fs, fd, std::span(buffer).first(length), size - length, name));
  const std::string_view end(buffer.data(), length);
  if (!end.ends_with(kTrailerMagic)) return info;
  const std::size_t block_bytes = ReadNumber(end.substr(length - kFooterBytes, 4));
  if (block_bytes > kBlockBytes || block_bytes > size - kFooterBytes) return Damaged(name);
  std::string block(block_bytes, '\0');
  if (block_bytes + kFooterBytes <= length) {
    block = end.substr(length - kFooterBytes - block_bytes, block_bytes);
  } else {
    KINETIC_RETURN_IF_ERROR(ReadFully(fs, fd, block, size - kFooterBytes - block_bytes, name));
  }
  auto metadata = ParseBlock(block);
  if (!metadata) return Damaged(name);
  info.metadata = *std::move(metadata);
  info.size_bytes = size - kFooterBytes - block_bytes;
  return info;
}

}  // namespace kinetic::store
