#include "settings/client_options.h"

namespace kinetic::settings {
namespace {

/// Returns the folder that Docker's own programs use.
std::filesystem::path DockerFolder(const ProcessEnvironment& process) {
  const std::string& folder = process.Variable("DOCKER_CONFIG");
  return folder.empty() ? process.home / ".docker" : process.directory / folder;
}

}  // namespace

RegistryOptions RegistryOptionsOf(const Settings& settings, const ProcessEnvironment& process) {
  RegistryOptions options;
  options.docker_config = DockerFolder(process) / "config.json";
  options.search_path = process.Variable("PATH");
  options.environment = process.variables;
  options.scratch = settings.Path(SettingId::kCacheDir) / "images";
  options.cloud = CloudOptionsOf(settings, process);
  return options;
}

}  // namespace kinetic::settings
