#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::local {

/// A file, folder or link of a kept data set, as it was laid down.
struct DataEntry {
  std::string path;  ///< below the set's content, any bytes; empty: the content itself
  FileStatus status;
};

/// What is below a path, folders before what is in them. @errors those of FileSystem.
Result<std::vector<DataEntry>> ScanData(FileSystem& fs, const Path& content);

/// One after the other: type, size, time and mode in text, the path, and NUL.
std::string Write(const std::vector<DataEntry>& entries);

/// @errors  kDataLoss: these are no entries.
Result<std::vector<DataEntry>> ReadDataEntries(std::string_view text);

}  // namespace kinetic::local
