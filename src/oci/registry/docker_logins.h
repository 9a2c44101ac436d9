#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/registry/access.h"

#include <chrono>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::oci {

/// The logins in Docker's config.json. Registries are named as in references.
///
/// @source  https://github.com/docker/cli/blob/v27.0.0/cli/config/configfile/file.go
struct DockerConfig {
  std::map<std::string, Login> logins;         ///< `auths`
  std::map<std::string, std::string> helpers;  ///< `credHelpers`: registry to "gcloud"
  std::string default_helper;                  ///< `credsStore`; may be empty
};

/// Reads config.json. A missing file is an empty configuration; unknown fields are ignored.
///
/// @errors  kFailedPrecondition, without any content of the file.
Result<DockerConfig> ReadDockerConfig(FileSystem& fs, const Path& file);

/// Returns the key that a credential helper expects for a registry.
std::string KeyForRegistry(const std::string& registry);

struct CredentialHelperOptions {
  std::string search_path;
  std::map<std::string, std::string> environment;  ///< complete
  std::chrono::milliseconds timeout{60'000};
};

/// Logins from Docker's configuration file and the credential helpers that it names.
///
/// @source  https://github.com/docker/docker-credential-helpers
class DockerLogins final : public LoginSource {
 public:
  /// `fs` must outlive this object. `file` is config.json and may be missing.
  DockerLogins(FileSystem& fs, Path file, CredentialHelperOptions options)
      : fs_(&fs), file_(std::move(file)), options_(std::move(options)) {}

  Result<std::optional<Login>> Find(const std::string& registry, std::stop_token stop) override;
  std::string Locations() const override;

 private:
  Result<std::optional<Login>> RunHelper(const std::string& program, const std::string& registry,
                                         const std::stop_token& stop) const;

  FileSystem* fs_;
  Path file_;
  CredentialHelperOptions options_;
};

}  // namespace kinetic::oci
