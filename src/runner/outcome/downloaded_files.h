#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "local/program_files.h"
#include "record/downloads.h"

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// A file that was fetched before the program started.
struct FetchedDownload {
  record::DownloadedFile file;
  FileStatus status;
  std::int64_t accessed_ns = 0;

  /// Returns whether a file that was found later has the same content.
  bool IsSame(const FileStatus& found) const {
    return status.size_bytes == found.size_bytes && status.mtime_ns == found.mtime_ns &&
           status.inode == found.inode;
  }
};
using FetchedDownloads = std::map<std::string, FetchedDownload>;  ///< by path

/// A file or link that the program has left.
struct FoundDownload {
  std::string path;    ///< relative to the folder of all downloads
  std::string target;  ///< of a link: relative; otherwise empty
  FileStatus status;
  std::int64_t accessed_ns = 0;
};

/// Returns when a file was last read, in nanoseconds since 1970. Mounts may not record this.
Result<std::int64_t> AccessTime(FileSystem& fs, const Path& file);

struct DownloadSelection {
  /// How many bytes and files are selected at most.
  struct Limits {
    std::uint64_t all_bytes = 64ULL << 30;
    std::uint64_t all_files = 100'000;
  };
  std::vector<FoundDownload> files;
  std::vector<FoundDownload> links;
};

/// Checks that all files and links of a manifest are in models, once, and that the links stay there.
/// Another writer of the bucket could list files that libraries trust, such as a token.
///
/// @errors  kDataLoss.
Status CheckModelPaths(const record::Downloads& downloads);

/// Lists the models that a program has left in the folders of Hugging Face, Kaggle and Keras, for
/// later jobs.
///
/// A model is left out if it was fetched and the program has not read it. If the program has read no
/// fetched file at all, the mount may not record access times, and all are selected. Above the
/// limits, the least recently used ones are left out. Files that are being downloaded, locks, and
/// links that leave their model are never selected. A model with such files is left out as a whole,
/// unless its library fetches single files that are missing.
///
/// @errors  a folder that cannot be read completely · those of ScanOutputs.
Result<DownloadSelection> SelectDownloads(const local::ProgramFiles& files, const Path& folder,
                                          const FetchedDownloads& fetched,
                                          const DownloadSelection::Limits& limits,
                                          const std::stop_token& stop);

}  // namespace kinetic::runner
