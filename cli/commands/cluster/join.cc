#include "commands/cluster/join.h"

#include "kinetic/existing_cluster.h"
#include "kinetic/try.h"

#include "commands/cluster/apply_plan.h"
#include "commands/cluster/options.h"
#include "commands/cluster/plan_output.h"
#include "commands/cluster/profile_file.h"
#include "commands/system/health_output.h"
#include "exit_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

/// The configuration file, and the settings that it and the command line specify.
struct Configured {
  ConfigFile file;
  Settings settings;
};

Result<Configured> ReadConfiguration(const Context& context) {
  Configured configured;
  KINETIC_ASSIGN_OR_RETURN(const SettingValue location,
                           ConfigLocation(context.flags, context.process));
  KINETIC_ASSIGN_OR_RETURN(configured.file, ReadConfig(location.text));
  auto settings = Resolve(context.flags, context.process, configured.file);
  // The profile in use does not matter, so it need not exist.
  if (!settings)
    settings = Resolve(context.flags, context.process, configured.file, JobTarget{"local", {}});
  if (!settings) return Failure(std::move(settings).error());
  configured.settings = *std::move(settings);
  return configured;
}

/// Overrides a member by an option or variable. The profile in use is for another cluster.
void SetIfGiven(const Settings& settings, SettingId id, std::string& member) {
  const SettingValue& value = settings.Get(id);
  if (value.origin >= Origin::kEnvironment) member = value.text;
}

std::string TextOf(const ConfigProfile& profile, SettingId id) {
  const ConfigValue* value = profile.Find(Info(id).name);
  return value != nullptr ? value->text : "";
}

/// Takes over the images, the namespace and the account of an earlier profile of the same cluster.
Status TakeOver(const ConfigProfile& saved, Profile& profile) {
  ClusterProfile& cluster = profile.kubernetes;
  const bool same = saved.Kind() == "gke" &&
                    TextOf(saved, SettingId::kCluster) == cluster.cluster &&
                    TextOf(saved, SettingId::kProject) == cluster.project;
  if (!same)
    return Fail(ErrorCode::kAlreadyExists,
                fmt::format("profile {} exists, and is not for cluster {} of project {}",
                            profile.name, cluster.cluster, cluster.project),
                fmt::format("remove it first: kinetic profile rm {}", profile.name));
  cluster.runner_image = TextOf(saved, SettingId::kRunnerImage);
  cluster.environment_images = TextOf(saved, SettingId::kEnvironmentImages);
  const auto keep = [&](SettingId id, std::string& member) {
    if (std::string text = TextOf(saved, id); !text.empty()) member = std::move(text);
  };
  keep(SettingId::kNamespace, cluster.name_space);
  keep(SettingId::kServiceAccount, cluster.service_account);
  return {};
}

Result<Profile> ProfileFor(const Configured& configured) {
  const Settings& settings = configured.settings;
  const std::string& project = settings.Text(SettingId::kProject);
  if (project.empty())
    return Fail(ErrorCode::kInvalidArgument, "no Google Cloud project is set",
                "use --project PROJECT");
  Profile profile = DefaultClusterProfile(project, settings.Text(SettingId::kCluster));
  if (const ConfigProfile* saved = configured.file.Find(profile.name))
    KINETIC_RETURN_IF_ERROR(TakeOver(*saved, profile));
  ClusterProfile& cluster = profile.kubernetes;
  SetIfGiven(settings, SettingId::kStore, profile.store);
  SetIfGiven(settings, SettingId::kLocation, cluster.location);
  SetIfGiven(settings, SettingId::kNamespace, cluster.name_space);
  SetIfGiven(settings, SettingId::kServiceAccount, cluster.service_account);
  SetIfGiven(settings, SettingId::kRunnerImage, cluster.runner_image);
  return profile;
}

/// Returns the kinds of resources that a plan creates or changes: "namespace, bucket".
std::string KindsOf(const ClusterPlan& plan) {
  std::vector<std::string> kinds;
  for (const PlanStep& step : plan.steps())
    if (std::ranges::find(kinds, step.kind) == kinds.end()) kinds.push_back(step.kind);
  return fmt::format("{}", fmt::join(kinds, ", "));
}

void ReportMissing(const ClusterPlan& plan, Context& context) {
  if (plan.IsEmpty()) return;
  context.output.Note(fmt::format("{} missing; add --adopt to create them", KindsOf(plan)));
}

}  // namespace

Status CreateMissing(const ClusterPlan& plan, bool yes, Context& context) {
  context.output.Show(ToTable(plan, false));
  KINETIC_RETURN_IF_ERROR(
      ConfirmPlan(fmt::format("Create these in project {}?", plan.spec().project), yes, context));
  const Status applied = ApplyPlan(plan, context);
  if (!applied)
    context.output.Note("what was created is kept: run the same command again to continue");
  return applied;
}

Result<int> JoinCluster(const JoinOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const Configured configured, ReadConfiguration(context));
  KINETIC_ASSIGN_OR_RETURN(const Profile profile, ProfileFor(configured));
  const ClusterAdminOptions admin = ClusterAdminOptionsOf(context, configured.settings);
  KINETIC_ASSIGN_OR_RETURN(ClusterInspection found, InspectCluster(profile, admin, context.stop));
  if (options.adopt && !found.missing.IsEmpty()) {
    KINETIC_RETURN_IF_ERROR(CreateMissing(found.missing, options.yes, context));
    KINETIC_ASSIGN_OR_RETURN(found, InspectCluster(profile, admin, context.stop));
  }
  ShowHealth(found.checks, Value::Map{{"profile", profile.name}}, context);
  KINETIC_RETURN_IF_ERROR(SaveAndUseProfile(found.profile, context));
  ReportMissing(found.missing, context);
  return kSuccess;
}

}  // namespace kinetic::cli
