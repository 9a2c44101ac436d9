#include "commands/all.h"

#include "command_line/command.h"
#include "commands/accelerators.h"
#include "commands/completion.h"
#include "commands/config_show.h"
#include "commands/help.h"
#include "commands/profile_create.h"
#include "commands/profile_ls.h"
#include "commands/profile_rm.h"
#include "commands/profile_show.h"
#include "commands/profile_use.h"
#include "commands/schema.h"
#include "commands/version.h"

namespace kinetic::cli {
namespace {

void RegisterProfile(Command& root) {
  Command& profile = root.Add(
      {.name = "profile",
       .summary = "Manage the targets that jobs can run on",
       .description = "Manages profiles: named targets with their settings. 'local' is built in.",
       .usage = {"COMMAND [OPTIONS]"}});
  RegisterProfileLs(profile);
  RegisterProfileShow(profile);
  RegisterProfileCreate(profile);
  RegisterProfileUse(profile);
  RegisterProfileRm(profile);
}

}  // namespace

void RegisterAll(Command& root) {
  RegisterAccelerators(root);
  RegisterProfile(root);
  RegisterConfigShow(root);
  RegisterSchema(root);
  RegisterCompletion(root);
  RegisterVersion(root);
  RegisterHelp(root);
}

}  // namespace kinetic::cli
