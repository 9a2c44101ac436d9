#include "kinetic/settings.h"
#include "kinetic/try.h"

#include "settings/client_options.h"
#include "settings/resolved.h"
#include "settings/sources.h"

namespace kinetic::inline v0 {

Result<ClientOptions> LoadProfile(std::string_view profile) {
  const settings::ProcessEnvironment process = settings::ReadProcessEnvironment();
  KINETIC_ASSIGN_OR_RETURN(const settings::ConfigFile config,
                           settings::ReadConfig({}, process, true));
  KINETIC_ASSIGN_OR_RETURN(
      const settings::Settings resolved,
      settings::Resolve({}, process, config, {std::string(profile), "LoadProfile"}));
  return settings::ClientOptionsOf(resolved, process);
}

}  // namespace kinetic::inline v0
