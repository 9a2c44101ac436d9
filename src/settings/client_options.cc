#include "settings/client_options.h"

#include "settings/cached_prices.h"

#include <string>

namespace kinetic::settings {

ClientOptions ClientOptionsOf(const Settings& settings, const ProcessEnvironment& process) {
  ClientOptions options;
  options.profile.name = settings.Text(SettingId::kTarget);
  options.profile.store = settings.Text(SettingId::kStore);
  options.profile.concurrency =
      static_cast<std::uint32_t>(std::stoul(settings.Text(SettingId::kConcurrency)));
  options.profile.data_cache = settings.Text(SettingId::kDataCache);
  options.profile.kind = TargetKindOf(settings);
  options.profile.kubernetes = ClusterProfileOf(settings, process);
  options.state_dir = settings.Path(SettingId::kStateDir);
  options.cache_dir = settings.Path(SettingId::kCacheDir);
  options.runner = settings.Path(SettingId::kRunner);
  options.search_path = process.Variable("PATH");
  options.python = settings.Text(SettingId::kPython);
  options.environment = process.variables;
  options.owner = settings.Text(SettingId::kOwner);
  options.cloud = CloudOptionsOf(settings, process);
  options.docker_config = RegistryOptionsOf(settings, process).docker_config;
  options.prices = ReadCachedPrices(settings);
  return options;
}

}  // namespace kinetic::settings
