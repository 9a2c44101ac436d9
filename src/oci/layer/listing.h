#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace kinetic::oci {

/// One thing in a layer that somebody else made, without its content.
struct LayerEntry {
  enum class Kind : std::uint8_t { kFolder, kFile, kSymlink, kOther };

  std::string path;  ///< as the archive has it: "./usr/bin/", "/usr/bin/env"; any bytes
  Kind kind = Kind::kFile;
  bool executable = false;
  std::string target;  ///< of a symbolic link
};

/// Passes on what a layer has, in its order: a tar archive of any age, compressed by gzip, zstd or
/// not at all, whatever its media type says. No byte of it is trusted.
///
/// @errors  kDataLoss: no such archive, or one that ends too early · kResourceExhausted: no memory
/// ·
///          kFailedPrecondition: libarchive is not there · kCancelled · those of FileSystem.
Status ListLayer(FileSystem& fs, const Path& file,
                 const std::function<void(LayerEntry entry)>& visit, const std::stop_token& stop);

}  // namespace kinetic::oci
