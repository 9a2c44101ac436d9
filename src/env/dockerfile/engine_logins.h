#pragma once

#include "base/files/file_lock.h"
#include "base/files/temp_dir.h"
#include "env/tool_options.h"
#include "oci/registry/access.h"

#include <map>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::env {

/// A folder for files from which programs read secrets: mode 0700, its files 0600, removed with the
/// object. Create() removes folders of processes that were killed.
class SecretFolder {
 public:
  /// @errors  those of the file system · kCancelled.
  static Result<SecretFolder> Create(const ToolOptions& tools, std::stop_token stop);

  /// @returns the path of the file.
  Result<Path> Write(std::string_view name, std::string_view content) const;
  const Path& path() const { return folder_.path(); }

 private:
  SecretFolder(FileSystem& fs, FileLock lock, TempDir folder)
      : fs_(&fs), lock_(std::move(lock)), folder_(std::move(folder)) {}

  FileSystem* fs_;
  FileLock lock_;   ///< marks the folder as in use
  TempDir folder_;  ///< destroyed before `lock_`
};

/// Logins by registry: "docker.io", "localhost:5000".
using Logins = std::map<std::string, oci::Login>;

/// Writes an --authfile for buildah and podman.
///
/// @source  https://github.com/containers/image/blob/v5.23.0/docs/containers-auth.json.5.md
Result<Path> WriteAuthFile(const SecretFolder& folder, const Logins& logins);

/// Creates a DOCKER_CONFIG folder: the user's configuration, contexts and plugins, in which
/// `logins` replace the logins for the same registries.
///
/// @param config  docker's config.json; need not exist.
/// @errors  kFailedPrecondition: `config` is not a JSON object · those of the file system.
/// @source  https://github.com/docker/cli/blob/v28.0.0/cli/config/configfile/file.go
Result<Path> WriteDockerConfig(FileSystem& fs, const SecretFolder& folder, const Path& config,
                               const Logins& logins);

}  // namespace kinetic::env
