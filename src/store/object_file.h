#pragma once

#include "base/file_system.h"
#include "store/store.h"

#include <string>
#include <string_view>

/// How one object is one file: docs/reference/store.md, "Store". The content comes first, as it is;
/// metadata follows it in a trailer, which is there only if there is metadata or if the content
/// ends like a trailer.
namespace kinetic::store {

/// The last bytes of a file that has a trailer.
inline constexpr std::string_view kTrailerMagic = "KNTCMETA";

/// The trailer for content that ends with `last_bytes` (its last 8, or all if it is shorter); empty
/// when none is needed. `metadata` has passed CheckMetadata.
std::string MakeTrailer(const Metadata& metadata, std::string_view last_bytes);

/// What an open file says of the object in it.
///
/// @errors  kDataLoss: a trailer that no store wrote.
Result<ObjectInfo> ReadInfo(FileSystem& fs, int fd, const FileStatus& status,
                            std::string_view name);

/// The object's information without what a trailer would say.
ObjectInfo InfoOf(const FileStatus& status, std::string_view name);

/// Made of the file's birth time, where the file system keeps it, and its inode.
std::int64_t GenerationOf(const FileStatus& status);

}  // namespace kinetic::store
