#pragma once

#include "base/files/file_system.h"
#include "oci/registry/docker_config.h"
#include "oci/registry/login.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace kinetic::oci {

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
