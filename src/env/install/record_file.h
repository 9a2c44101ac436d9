#pragma once

#include "base/files/file_system.h"

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// The end of the name of a folder with a package's metadata.
inline constexpr std::string_view kMetadataFolderEnd = ".dist-info";

/// A line of a package's RECORD file.
struct RecordedFile {
  std::string path;  ///< relative to site-packages
  std::string sum;   ///< "sha256=…,size"; empty if the file lists no such hash
};

/// Reads the list of a package's files.
///
/// @param info    the package's .dist-info folder.
/// @source  https://packaging.python.org/en/latest/specifications/recording-installed-packages/
Result<std::vector<RecordedFile>> ReadRecordFile(FileSystem& fs, const Path& info);

}  // namespace kinetic::env
