#include "context.h"

#include "settings/cloud.h"
#include "try.h"

#include <string>
#include <utility>

namespace kinetic::cli {

Result<Client> OpenClient(const Context& context, const std::string& job_target) {
  CLI_ASSIGN_OR_RETURN(const Settings settings,
                       Resolve(context.flags, context.here, context.config, job_target));
  ClientOptions options;
  options.profile.name = settings.Text(SettingId::kTarget);
  options.profile.store = settings.Text(SettingId::kStore);
  options.profile.concurrency =
      static_cast<std::uint32_t>(std::stoul(settings.Text(SettingId::kConcurrency)));
  options.state_dir = settings.Path(SettingId::kStateDir);
  options.cache_dir = settings.Path(SettingId::kCacheDir);
  options.runner = settings.Path(SettingId::kRunner);
  options.search_path = context.here.Variable("PATH");
  options.python = settings.Text(SettingId::kPython);
  options.environment = context.here.environment;
  options.owner = settings.Text(SettingId::kOwner);
  options.cloud = CloudOptionsOf(settings, context.here);
  options.cloud.requests = context.requests;
  options.log = context.log;
  return Client::Open(std::move(options), context.stop);
}

}  // namespace kinetic::cli
