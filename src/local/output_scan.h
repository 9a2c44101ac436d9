#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::local {

/// A file of an output folder that is stored.
struct ScannedOutput {
  std::string path;   ///< relative to the folder; bytes
  FileStatus status;  ///< of what it leads to, when it is a link

  /// Whether a later scan saw the same content, as far as the file system tells.
  bool IsSame(const ScannedOutput& other) const;
};

struct OutputScan {
  std::vector<ScannedOutput> files;   ///< by path, folder by folder
  std::vector<std::string> left_out;  ///< "a/link: leads out of the output folder"
  std::optional<Error> refused;       ///< a folder or file that cannot be read
};

/// What of an output folder is stored. Symbolic links to files inside the folder are stored as what
/// they lead to; links that lead out, sockets and devices are left out. Empty folders are not
/// stored.
///
/// @errors  kCancelled. An absent folder is an empty one.
Result<OutputScan> ScanOutputs(FileSystem& fs, const Path& folder, std::stop_token stop);

/// A path in an output folder as its object may be named: bytes that no object name may hold are
/// written as %XX.
std::string ObjectPath(std::string_view path);

/// The path that ObjectPath made this of. What it would not have written stays as it is, so that
/// nothing leads out of a folder.
std::string OutputPath(std::string_view object_path);

}  // namespace kinetic::local
