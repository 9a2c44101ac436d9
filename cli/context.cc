#include "context.h"

#include "kinetic/try.h"

#include "settings/client_options.h"

#include <string>
#include <utility>

namespace kinetic::cli {

ClientOptions ClientOptionsOf(const Context& context, const Settings& settings) {
  ClientOptions options;
  options.profile.name = settings.Text(SettingId::kTarget);
  options.profile.store = settings.Text(SettingId::kStore);
  options.profile.concurrency =
      static_cast<std::uint32_t>(std::stoul(settings.Text(SettingId::kConcurrency)));
  options.profile.data_cache = settings.Text(SettingId::kDataCache);
  options.profile.kind = TargetKindOf(settings);
  options.profile.kubernetes = ClusterProfileOf(settings, context.process);
  options.state_dir = settings.Path(SettingId::kStateDir);
  options.cache_dir = settings.Path(SettingId::kCacheDir);
  options.runner = settings.Path(SettingId::kRunner);
  options.search_path = context.process.Variable("PATH");
  options.python = settings.Text(SettingId::kPython);
  options.environment = context.process.variables;
  options.owner = settings.Text(SettingId::kOwner);
  options.cloud = CloudOptionsOf(settings, context.process);
  options.cloud.requests = context.requests;
  options.cloud.waits = context.waits;
  options.docker_config = RegistryOptionsOf(settings, context.process).docker_config;
  options.log = context.log;
  return options;
}

namespace {

Result<Client> Open(const Context& context, const Settings& settings) {
  KINETIC_RETURN_IF_ERROR(CheckOptionsApply(settings));
  return Client::Open(ClientOptionsOf(context, settings), context.stop);
}

}  // namespace

Result<Client> OpenClient(const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const Settings settings,
                           Resolve(context.flags, context.process, context.config));
  return Open(context, settings);
}

Result<Settings> SettingsFor(const Context& context, const JobSpec& spec) {
  JobTarget target{spec.target, "the job file"};
  if (const auto at = spec.positions.find("target"); at != spec.positions.end())
    target.place = at->second.ToString() + ": target";
  return Resolve(context.flags, context.process, context.config, target);
}

Result<Client> OpenClient(const Context& context, const JobSpec& spec) {
  KINETIC_ASSIGN_OR_RETURN(const Settings settings, SettingsFor(context, spec));
  return Open(context, settings);
}

}  // namespace kinetic::cli
