#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace kinetic::local {

/// The folders that a job's program writes: outputs, checkpoints, the value, compiled programs. A
/// program may replace each of them, and everything in them, at any time: by links to files of the
/// process that stores them, by hard links to files that it may not read itself, by pipes.
///
/// Keeps the runtime directory open and follows no link below it. Opens for reading only what the
/// program's user may read. Never waits for the other end of a pipe.
///
/// @threads  safe to call concurrently.
class ProgramFiles {
 public:
  /// Opens the runtime directory. Call before the program runs.
  ///
  /// @param user  the program's, if it is neither root nor the user of this process, whose access
  ///              the system checks.
  static Result<ProgramFiles> Open(FileSystem& fs, const Path& folder,
                                   std::optional<std::uint32_t> user);

  /// Reading a file or folder that the program's user may not read fails with kPermissionDenied.
  FileSystem& fs() const { return *files_; }

  /// Returns the program's user as given to Open.
  const std::optional<std::uint32_t>& user() const { return user_; }

  /// Returns whether the program's user may read a file: it is the owner, or everybody may.
  bool MayRead(const FileStatus& status) const;

 private:
  ProgramFiles(std::unique_ptr<FileSystem> files, std::optional<std::uint32_t> user)
      : files_(std::move(files)), user_(user) {}

  std::unique_ptr<FileSystem> files_;
  std::optional<std::uint32_t> user_;
};

}  // namespace kinetic::local
