#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/registry/login.h"

#include <map>
#include <string>

namespace kinetic::oci {

/// What `docker login` leaves: who somebody is to which registry, or the program to be asked. Names
/// of registries are those of references.
///
/// @source  https://github.com/docker/cli/blob/v27.0.0/cli/config/configfile/file.go
struct DockerConfig {
  std::map<std::string, Login> logins;          ///< `auths`
  std::map<std::string, std::string> programs;  ///< `credHelpers`: "gcloud" of each registry
  std::string program;                          ///< `credsStore`: of all others; may be empty
};

/// An absent file is an empty one; what kinetic does not know is passed over.
///
/// @errors  kFailedPrecondition, naming the file and nothing of its content.
Result<DockerConfig> ReadDockerConfig(FileSystem& fs, const Path& file);

/// The registry that a key of the file is about: "https://index.docker.io/v1/" is docker.io's.
/// Empty: a key for a part of a registry, which Docker does not know.
std::string RegistryOfKey(std::string_view key);

/// What a credential program is asked for.
std::string KeyOfRegistry(const std::string& registry);

}  // namespace kinetic::oci
