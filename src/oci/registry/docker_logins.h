#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/registry/login.h"

#include <chrono>
#include <map>
#include <optional>
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

/// What credential programs are run with.
struct ProgramSurroundings {
  std::string search_path;
  std::map<std::string, std::string> environment;  ///< all of it
  std::chrono::milliseconds patience{60'000};
};

/// The logins of Docker: its configuration file, and the programs that it names.
///
/// @source  https://github.com/docker/docker-credential-helpers
class DockerLogins final : public LoginSource {
 public:
  /// @param file  config.json; need not exist. The file system outlives it.
  DockerLogins(FileSystem& fs, Path file, ProgramSurroundings surroundings)
      : fs_(&fs), file_(std::move(file)), surroundings_(std::move(surroundings)) {}

  Result<std::optional<Login>> Find(const std::string& registry, std::stop_token stop) override;
  std::string Places() const override;

 private:
  Result<std::optional<Login>> Ask(const std::string& program, const std::string& registry,
                                   const std::stop_token& stop) const;

  FileSystem* fs_;
  Path file_;
  ProgramSurroundings surroundings_;
};

}  // namespace kinetic::oci
