#pragma once

#include "base/files/file_system.h"
#include "store/object.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// How a file stores an object: docs/reference/store.md, "Folder store". The file begins with the
/// unchanged content. Metadata follows in a trailer, which exists only if there is metadata or if
/// the content ends like a trailer.
namespace kinetic::store {

/// The last bytes of a file that has a trailer.
inline constexpr std::string_view kTrailerMagic = "KNTCMETA";

/// Returns the trailer for content that ends with `last_bytes` (its last 8 bytes, or all of shorter
/// content), or an empty string if none is needed. `metadata` must have passed CheckMetadata.
std::string MakeTrailer(const Metadata& metadata, std::string_view last_bytes);

/// What has the name of an object. It is open for reading unless it is damaged.
struct ObjectFile {
  UniqueFd fd;
  FileStatus status;
  std::string damage;
};

/// Opens the file of an object, without following a link or waiting for a pipe. Returns nullopt if
/// there is none: also if the name has a folder, or is below something that is not a folder.
Result<std::optional<ObjectFile>> OpenObjectFile(FileSystem& fs, const Path& root,
                                                 std::string_view name);

/// Returns the information about an object, which may be damaged.
Result<ObjectInfo> ReadInfo(FileSystem& fs, const ObjectFile& file, std::string_view name);

/// Returns what a status says about a damaged object.
ObjectInfo DamagedInfo(const FileStatus& status, std::string_view name, std::string_view damage);

/// Returns the damage of an object that this user has no permission to read. Names its owner.
std::string DeniedDamage(const FileStatus& status);

/// Returns why a file of another type than expected is damaged: "it is a symbolic link".
std::string DamageOf(FileType type);

/// Returns the object's information without reading a trailer.
ObjectInfo InfoOf(const FileStatus& status, std::string_view name);

/// Derives a generation from the file's birth time, if the file system records it, and its inode.
std::int64_t GenerationOf(const FileStatus& status);

/// Store::List for the files below `root`. Holds the entries of one folder per level in memory.
Status ListObjectFiles(FileSystem& fs, const Path& root, std::string_view prefix,
                       std::string_view start,
                       const std::function<Result<bool>(const ObjectInfo&)>& each,
                       const std::stop_token& stop);

}  // namespace kinetic::store
