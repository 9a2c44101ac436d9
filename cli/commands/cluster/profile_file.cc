#include "commands/cluster/profile_file.h"

#include "kinetic/try.h"

#include "commands/cluster/profile_settings.h"
#include "settings/sources.h"

#include <fmt/format.h>

#include <string>

namespace kinetic::cli {
namespace {

void SetProfile(const Profile& profile, ConfigFile& config) {
  if (config.Find(profile.name) == nullptr) config.profiles.push_back({.name = profile.name});
  ConfigProfile& saved = *config.Find(profile.name);
  for (const auto& [id, text] : SettingsOf(profile)) saved.Set(Info(id).name, text);
}

Status Save(const Profile& profile, bool use, Context& context) {
  const auto change = [&](ConfigFile& config) -> Status {
    SetProfile(profile, config);
    if (use) config.target = ConfigValue{profile.name};
    return {};
  };
  KINETIC_ASSIGN_OR_RETURN(const std::string remark,
                           ChangeConfig(context.settings.Path(SettingId::kConfig), change));
  if (!remark.empty()) context.output.Warn(remark);
  context.output.Note(fmt::format("{} profile {}, saved in {}", use ? "using" : "changed",
                                  profile.name, context.settings.Text(SettingId::kConfig)));
  return {};
}

}  // namespace

Status SaveProfile(const Profile& profile, Context& context) {
  return Save(profile, false, context);
}

Status SaveAndUseProfile(const Profile& profile, Context& context) {
  return Save(profile, true, context);
}

}  // namespace kinetic::cli
