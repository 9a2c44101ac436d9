#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "env/dockerfile/builder.h"
#include "store/object_store.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::env {

/// What a build service finds in the archive.
inline constexpr std::string_view kArchiveDockerfile = "Dockerfile";
inline constexpr std::string_view kArchiveContext = "context";

/// What an image is made from, as a .tar.gz in a store.
struct CloudSource {
  Digest digest;     ///< of the archive
  std::string name;  ///< of the object
  std::int64_t generation = 0;
};

/// Packs Dockerfile and what of the context is not ignored, and stores what is not there yet. The
/// same files give the same archive: times and owners are left out, and of permissions all but who
/// may run a file.
///
/// @param scratch  a folder for the archive until it is stored.
/// @errors  those of FileSystem and Store · kInvalidArgument: something in the context is neither a
///          file, a folder nor a link.
Result<CloudSource> StoreCloudSource(FileSystem& fs, const ImageOrder& order, store::Store& store,
                                     const Path& scratch, std::stop_token stop);

}  // namespace kinetic::env
