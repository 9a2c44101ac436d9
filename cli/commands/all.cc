#include "commands/all.h"

#include "command_line/command.h"

namespace kinetic::cli {
namespace {

void RegisterBundle(Command& root) {
  Command& bundle = root.Add(
      {.name = "bundle",
       .summary = "Show the files that a job would upload",
       .description =
           "Show the files that a job would upload, and which files changed since another job.",
       .usage = {"COMMAND [OPTIONS]"}});
  RegisterBundleLs(bundle);
  RegisterBundleDiff(bundle);
}

void RegisterData(Command& root) {
  Command& data = root.Add(
      {.name = "data",
       .summary = "Manage datasets",
       .description = "Store files and folders under names that job files can refer to in 'data:'.",
       .usage = {"COMMAND [OPTIONS]"}});
  RegisterDataPut(data);
  RegisterDataLs(data);
  RegisterDataRm(data);
}

void RegisterEnv(Command& root) {
  Command& env = root.Add({.name = "env",
                           .summary = "Explain and manage environments",
                           .description = "Explain the packages in a job's Python environment, and "
                                          "list or remove cached environments.",
                           .usage = {"COMMAND [OPTIONS]"}});
  RegisterEnvExplain(env);
  RegisterEnvLs(env);
  RegisterEnvRm(env);
  RegisterEnvWhy(env);
}

void RegisterImage(Command& root) {
  Command& image = root.Add({.name = "image",
                             .summary = "Build and manage container images",
                             .description = "Build the container images that run on clusters: the "
                                            "runner image, and images with the packages\n"
                                            "of jobs.",
                             .usage = {"COMMAND [OPTIONS]"}});
  RegisterImageBuild(image);
  RegisterImageLs(image);
  RegisterImageRm(image);
  RegisterImageRunner(image);
}

void RegisterAuth(Command& root) {
  Command& auth = root.Add({.name = "auth",
                            .summary = "Show the active Google credential",
                            .description = "Show the active Google credential and check it, as "
                                           "'kinetic auth status' does.",
                            .usage = {"[OPTIONS]", "status [OPTIONS]"}});
  RegisterAuthStatus(auth);
}

void RegisterCluster(Command& root) {
  Command& cluster =
      root.Add({.name = "cluster",
                .summary = "Show the GKE cluster",
                .description = "Show what exists of a GKE cluster and what it costs.",
                .usage = {"COMMAND [OPTIONS]"}});
  RegisterClusterStatus(cluster);
}

void RegisterPool(Command& root) {
  Command& pool = root.Add({.name = "pool",
                            .summary = "Manage node pools of a GKE cluster",
                            .description = "Add, list, resize, or delete node pools.",
                            .usage = {"COMMAND [OPTIONS]"}});
  RegisterPoolAdd(pool);
  RegisterPoolLs(pool);
  RegisterPoolResize(pool);
  RegisterPoolRm(pool);
}

void RegisterProfile(Command& root) {
  Command& profile = root.Add(
      {.name = "profile",
       .summary = "Manage profiles",
       .description =
           "Manage profiles: named targets with their settings. The profile 'local' is built in.",
       .usage = {"COMMAND [OPTIONS]"}});
  RegisterProfileLs(profile);
  RegisterProfileShow(profile);
  RegisterProfileCreate(profile);
  RegisterProfileUse(profile);
  RegisterProfileRm(profile);
}

}  // namespace

void RegisterAll(Command& root) {
  root.BeginGroup("Run jobs");
  RegisterRun(root);
  RegisterRerun(root);
  RegisterInit(root);
  root.BeginGroup("Inspect jobs");
  RegisterPs(root);
  RegisterStatus(root);
  RegisterWhy(root);
  RegisterTimeline(root);
  RegisterCosts(root);
  RegisterDiff(root);
  RegisterLogs(root);
  RegisterMetrics(root);
  RegisterAttach(root);
  RegisterWait(root);
  RegisterResult(root);
  RegisterResults(root);
  root.BeginGroup("Manage jobs");
  RegisterCancel(root);
  RegisterRm(root);
  RegisterOutputs(root);
  RegisterCp(root);
  root.BeginGroup("Code, data, and packages");
  RegisterBundle(root);
  RegisterData(root);
  RegisterEnv(root);
  RegisterLock(root);
  RegisterImage(root);
  RegisterGc(root);
  root.BeginGroup("Accelerators and clusters");
  RegisterAccelerators(root);
  RegisterUp(root);
  RegisterDown(root);
  RegisterCluster(root);
  RegisterPool(root);
  root.BeginGroup("Settings and help");
  RegisterProfile(root);
  RegisterAuth(root);
  RegisterConfig(root);
  RegisterDoctor(root);
  RegisterSchema(root);
  RegisterCompletion(root);
  RegisterCompleteWords(root);
  RegisterMan(root);
  RegisterVersion(root);
  RegisterHelp(root);
}

}  // namespace kinetic::cli
