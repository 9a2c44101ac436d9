#pragma once

#include "base/files/file_system.h"
#include "store/object.h"

#include <functional>
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

/// Reads the information about the object in an open file.
///
/// @errors  kDataLoss: the trailer is invalid.
Result<ObjectInfo> ReadInfo(FileSystem& fs, int fd, const FileStatus& status,
                            std::string_view name);

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
