#include "kinetic/existing_cluster.h"
#include "kinetic/health.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/cluster/join.h"
#include "commands/cluster/options.h"
#include "commands/cluster/profile_file.h"
#include "commands/system/health_output.h"
#include "context.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

/// GKE creates a node in two to four minutes.
constexpr std::chrono::minutes kPodDeadline{5};

struct DoctorOptions {
  bool fix = false;  ///< create what is missing
  bool yes = false;  ///< without confirmation
  bool pod = false;  ///< also check from a pod
};

/// The settings to check, and whether the configuration file is valid.
struct LoadedConfig {
  Settings settings;
  HealthCheck check{.name = "config"};
};

Result<Settings> Load(const Context& context, std::string& evidence) {
  KINETIC_ASSIGN_OR_RETURN(const SettingValue location,
                           ConfigLocation(context.flags, context.process));
  KINETIC_ASSIGN_OR_RETURN(const ConfigFile config, ReadConfig(location.text));
  KINETIC_ASSIGN_OR_RETURN(Settings settings, Resolve(context.flags, context.process, config));
  evidence = config.exists
                 ? fmt::format("{}, profile {}", location.text, settings.Text(SettingId::kTarget))
                 : fmt::format("no {}; the defaults apply", location.text);
  return settings;
}

/// With an invalid file, the other checks use the settings without a profile.
LoadedConfig LoadConfig(const Context& context) {
  LoadedConfig loaded{.settings = context.settings};
  auto settings = Load(context, loaded.check.evidence);
  if (settings) {
    loaded.settings = *std::move(settings);
  } else {
    loaded.check.health = Health::kFailed;
    loaded.check.evidence = settings.error().message;
    loaded.check.advice = settings.error().hint;
  }
  return loaded;
}

/// Checks what Google Cloud has for jobs, and with --fix creates what is missing.
///
/// @param profile  receives the images that were created.
Result<std::vector<HealthCheck>> CheckGoogleCloud(const DoctorOptions& options, Profile& profile,
                                                  const ClusterAdminOptions& admin,
                                                  Context& context) {
  auto found = InspectCluster(profile, admin, context.stop);
  if (!found) {
    const Error& error = found.error();
    return std::vector{HealthCheck{.name = "Google Cloud",
                                   .health = Health::kFailed,
                                   .evidence = error.message,
                                   .advice = error.hint}};
  }
  if (!options.fix || found->missing.IsEmpty()) return std::move(found->checks);
  KINETIC_RETURN_IF_ERROR(CreateMissing(found->missing, options.yes, context));
  KINETIC_ASSIGN_OR_RETURN(const ClusterInspection fixed,
                           InspectCluster(profile, admin, context.stop));
  if (fixed.profile.kubernetes.runner_image != profile.kubernetes.runner_image) {
    profile = fixed.profile;
    KINETIC_RETURN_IF_ERROR(SaveProfile(profile, context));
  }
  return fixed.checks;
}

Result<int> CheckHealth(const DoctorOptions& options, Context& context) {
  LoadedConfig loaded = LoadConfig(context);
  ClientOptions client = ClientOptionsOf(context, loaded.settings);
  std::vector<HealthCheck> cloud;
  if (client.profile.kind == TargetKind::kGke) {
    const ClusterAdminOptions admin = ClusterAdminOptionsOf(context, loaded.settings);
    KINETIC_ASSIGN_OR_RETURN(cloud, CheckGoogleCloud(options, client.profile, admin, context));
  } else if (options.fix) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--fix: the target {} is not a GKE cluster",
                            loaded.settings.Text(SettingId::kTarget)),
                "use --target PROFILE");
  }
  std::vector<HealthCheck> checks = CheckPrograms(client, context.stop);
  checks.push_back(std::move(loaded.check));
  for (HealthCheck& check : CheckSurroundings(client, context.stop))
    checks.push_back(std::move(check));
  for (HealthCheck& check : cloud) checks.push_back(std::move(check));
  if (options.pod) {
    context.output.Note("starting a pod in the cluster");
    checks.push_back(CheckPod(std::move(client), kPodDeadline, context.stop));
  }
  return ShowHealth(checks, Value::Map{{"target", loaded.settings.Text(SettingId::kTarget)}},
                    context);
}

}  // namespace

void RegisterDoctor(Command& parent) {
  Command& command = parent.Add(
      {.name = "doctor",
       .summary = "Check that jobs can run",
       .description =
           "Check what jobs of the current profile need: programs, configuration, disks, "
           "store, clock and\n"
           "cluster. For a GKE cluster also: APIs, permissions, quotas, Workload Identity, grants "
           "and images. Prints\n"
           "one line for each check, with a fix if it fails. Exits with 1 if a check fails.",
       .usage = {"[OPTIONS]"},
       .examples = {"kinetic doctor", "kinetic doctor --target prod --json", "kinetic doctor --fix",
                    "kinetic doctor --pod"},
       .needs_settings = false});
  auto options = std::make_shared<DoctorOptions>();
  command.Flag(
      {"--fix", "",
       "Create what a GKE cluster lacks: APIs, namespace, service account, bucket, images, "
       "grants"},
      options->fix);
  command.Flag(
      {"--pod", "",
       "Also start a pod that pulls the runner image and uses the store; may start a node"},
      options->pod);
  command.Flag({"-y,--yes", "", "Do not ask for confirmation"}, options->yes);
  command.SetAction([options](Context& context) { return CheckHealth(*options, context); });
}

}  // namespace kinetic::cli
