#include "context.h"

#include "kinetic/try.h"

#include "settings/client_options.h"

#include <string>
#include <utility>

namespace kinetic::cli {

ClientOptions ClientOptionsOf(const Context& context, const Settings& settings) {
  ClientOptions options = settings::ClientOptionsOf(settings, context.process);
  options.cloud.requests = context.requests;
  options.cloud.waits = context.waits;
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
