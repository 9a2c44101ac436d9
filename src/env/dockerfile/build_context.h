#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "base/time/clock.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

inline constexpr std::string_view kIgnoreFileName = ".dockerignore";

/// One thing that a Dockerfile may copy from.
struct ContextEntry {
  std::string path;  ///< relative to the context, '/'-separated; any bytes
  FileStatus status;
  std::string link_target;  ///< of a symbolic link, as it is written

  bool IsExecutable() const { return (status.mode & 0111U) != 0; }
};

/// The file that says what of a context is ignored: that of the Dockerfile's own name, else that of
/// the context's folder. Empty: there is none.
///
/// @source  https://docs.docker.com/build/concepts/context/#filename-and-location
Path FindIgnoreFile(FileSystem& fs, const Path& context, const Path& dockerfile);

/// What lies in a context's folder and is not ignored, by path, bytewise. Links are not followed.
///
/// @param ignore_file  as FindIgnoreFile says.
/// @errors  kInvalidArgument: something is neither a file, a folder nor a link · those of
///          FileSystem · kCancelled.
Result<std::vector<ContextEntry>> ListContext(FileSystem& fs, const Path& context,
                                              const Path& ignore_file, std::stop_token stop);

/// Names what is in a context: paths, content, links, and who may run a file.
///
/// @param cache  a file in which the digests of files that do not change are kept.
/// @errors  those of FileSystem · kAborted: a file changed while it was read · kCancelled.
Result<Digest> HashContext(FileSystem& fs, Clock& clock, const Path& context,
                           const std::vector<ContextEntry>& entries, const Path& cache,
                           std::stop_token stop);

}  // namespace kinetic::env
