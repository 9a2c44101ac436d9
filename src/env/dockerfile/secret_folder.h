#pragma once

#include "base/files/temp_dir.h"
#include "env/install/tool_options.h"
#include "env/virtualenv/file_lock.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::env {

/// A folder for files that programs read secrets from: 0700, its files 0600, removed with the
/// object. What somebody left who was killed is removed by whoever makes the next one.
class SecretFolder {
 public:
  /// @errors  those of the file system · kCancelled.
  static Result<SecretFolder> Make(const ToolOptions& tools, std::stop_token stop);

  /// @returns the path of the file.
  Result<Path> Write(std::string_view name, std::string_view content) const;

  const Path& path() const { return folder_.path(); }

 private:
  SecretFolder(FileSystem& fs, FileLock lock, TempDir folder)
      : fs_(&fs), lock_(std::move(lock)), folder_(std::move(folder)) {}

  FileSystem* fs_;
  FileLock lock_;   ///< held by those who are alive
  TempDir folder_;  ///< goes before the lock does
};

}  // namespace kinetic::env
