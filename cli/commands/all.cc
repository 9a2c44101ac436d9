#include "commands/all.h"

#include "command_line/command.h"
#include "commands/accelerators.h"
#include "commands/attach.h"
#include "commands/auth_status.h"
#include "commands/bundle_diff.h"
#include "commands/bundle_ls.h"
#include "commands/cancel.h"
#include "commands/complete_words.h"
#include "commands/completion.h"
#include "commands/config_show.h"
#include "commands/data_ls.h"
#include "commands/data_put.h"
#include "commands/data_rm.h"
#include "commands/env_explain.h"
#include "commands/env_ls.h"
#include "commands/env_rm.h"
#include "commands/gc.h"
#include "commands/help.h"
#include "commands/image_build.h"
#include "commands/image_diff.h"
#include "commands/image_dockerfile.h"
#include "commands/image_explain.h"
#include "commands/image_ls.h"
#include "commands/image_rm.h"
#include "commands/image_runner.h"
#include "commands/image_warm.h"
#include "commands/lock.h"
#include "commands/logs.h"
#include "commands/outputs.h"
#include "commands/profile_create.h"
#include "commands/profile_ls.h"
#include "commands/profile_rm.h"
#include "commands/profile_show.h"
#include "commands/profile_use.h"
#include "commands/ps.h"
#include "commands/result.h"
#include "commands/rm.h"
#include "commands/run.h"
#include "commands/schema.h"
#include "commands/status.h"
#include "commands/version.h"
#include "commands/wait.h"
#include "commands/why.h"

namespace kinetic::cli {
namespace {

void RegisterBundle(Command& root) {
  Command& bundle =
      root.Add({.name = "bundle",
                .summary = "Show the code that would travel",
                .description = "Shows which files would travel with a job, and what has "
                               "changed since another one.",
                .usage = {"COMMAND [OPTIONS]"}});
  RegisterBundleLs(bundle);
  RegisterBundleDiff(bundle);
}

void RegisterData(Command& root) {
  Command& data = root.Add({.name = "data",
                            .summary = "Store files for jobs, list and remove them",
                            .description = "Stores files and folders under names that the 'data:' "
                                           "of a job can use.",
                            .usage = {"COMMAND [OPTIONS]"}});
  RegisterDataPut(data);
  RegisterDataLs(data);
  RegisterDataRm(data);
}

void RegisterEnv(Command& root) {
  Command& env = root.Add({.name = "env",
                           .summary = "Explain a job's environment, and manage those that are kept",
                           .description = "Explains the packages that a job's Python code gets; "
                                          "lists and removes environments.",
                           .usage = {"COMMAND [OPTIONS]"}});
  RegisterEnvExplain(env);
  RegisterEnvLs(env);
  RegisterEnvRm(env);
}

void RegisterImage(Command& root) {
  Command& image = root.Add({.name = "image",
                             .summary = "Make container images, and manage those for packages",
                             .description = "Makes the container images that clusters run: the "
                                            "runner's, and those for the packages of jobs.",
                             .usage = {"COMMAND [OPTIONS]"}});
  RegisterImageBuild(image);
  RegisterImageDiff(image);
  RegisterImageDockerfile(image);
  RegisterImageExplain(image);
  RegisterImageLs(image);
  RegisterImageRm(image);
  RegisterImageRunner(image);
  RegisterImageWarm(image);
}

void RegisterAuth(Command& root) {
  Command& auth = root.Add({.name = "auth",
                            .summary = "Show whose credential Google is shown",
                            .description = "Shows whose credential Google's servers are shown.",
                            .usage = {"COMMAND [OPTIONS]"}});
  RegisterAuthStatus(auth);
}

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
  RegisterRun(root);
  RegisterPs(root);
  RegisterStatus(root);
  RegisterWhy(root);
  RegisterLogs(root);
  RegisterAttach(root);
  RegisterWait(root);
  RegisterResult(root);
  RegisterCancel(root);
  RegisterRm(root);
  RegisterOutputs(root);
  RegisterBundle(root);
  RegisterData(root);
  RegisterEnv(root);
  RegisterLock(root);
  RegisterImage(root);
  RegisterGc(root);
  RegisterAccelerators(root);
  RegisterProfile(root);
  RegisterAuth(root);
  RegisterConfigShow(root);
  RegisterSchema(root);
  RegisterCompletion(root);
  RegisterCompleteWords(root);
  RegisterVersion(root);
  RegisterHelp(root);
}

}  // namespace kinetic::cli
