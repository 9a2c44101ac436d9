#include "settings/client_options.h"

namespace kinetic::cli {
namespace {

/// Returns the folder that Docker's own programs use.
std::filesystem::path DockerFolder(const Surroundings& here) {
  const std::string& folder = here.Variable("DOCKER_CONFIG");
  return folder.empty() ? here.home / ".docker" : here.directory / folder;
}

}  // namespace

RegistryOptions RegistryOptionsOf(const Settings& settings, const Surroundings& here) {
  RegistryOptions options;
  options.docker_config = DockerFolder(here) / "config.json";
  options.search_path = here.Variable("PATH");
  options.environment = here.environment;
  options.scratch = settings.Path(SettingId::kCacheDir) / "images";
  options.cloud = CloudOptionsOf(settings, here);
  return options;
}

}  // namespace kinetic::cli
