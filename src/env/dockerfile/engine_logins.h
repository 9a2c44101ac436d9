#pragma once

#include "env/dockerfile/secret_folder.h"
#include "oci/registry/login.h"

#include <map>
#include <string>

namespace kinetic::env {

/// Who somebody is to which registry: "docker.io", "localhost:5000".
using Logins = std::map<std::string, oci::Login>;

/// Writes logins as buildah and podman read them from an --authfile.
///
/// @source  https://github.com/containers/image/blob/v5.23.0/docs/containers-auth.json.5.md
Result<Path> WriteAuthFile(const SecretFolder& folder, const Logins& logins);

/// Makes a folder that docker takes for its own configuration (DOCKER_CONFIG): all that `config`
/// says, its contexts and plugins, with the logins in the place of what it has for these
/// registries.
///
/// @param config  docker's config.json; need not exist.
/// @errors  kFailedPrecondition: it is there, and is no JSON object · those of the file system.
/// @source  https://github.com/docker/cli/blob/v28.0.0/cli/config/configfile/file.go
Result<Path> WriteDockerConfig(FileSystem& fs, const SecretFolder& folder, const Path& config,
                               const Logins& logins);

}  // namespace kinetic::env
