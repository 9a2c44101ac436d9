#include "settings/client_options.h"

#include "settings/cached_prices.h"

#include <array>
#include <map>
#include <string>
#include <utility>

namespace kinetic::settings {

namespace {

/// Returns the environment of programs such as uv, with the proxy of kinetic's own setting.
std::map<std::string, std::string> EnvironmentOf(const Settings& settings,
                                                 const ProcessEnvironment& process) {
  auto environment = process.variables;
  for (const auto& [id, names] :
       {std::pair{SettingId::kProxy,
                  std::array{"https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"}},
        std::pair{SettingId::kNoProxy,
                  std::array{"no_proxy", "NO_PROXY", "no_proxy", "NO_PROXY"}}}) {
    const SettingValue& value = settings.Get(id);
    if (value.origin <= Origin::kStandard) continue;
    for (const char* name : names) environment[name] = value.text;
  }
  return environment;
}

}  // namespace

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
  options.environment = EnvironmentOf(settings, process);
  options.owner = settings.Text(SettingId::kOwner);
  options.cloud = CloudOptionsOf(settings, process);
  options.docker_config = RegistryOptionsOf(settings, process).docker_config;
  options.prices = ReadCachedPrices(settings);
  return options;
}

}  // namespace kinetic::settings
