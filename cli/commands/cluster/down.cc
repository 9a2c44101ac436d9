#include "kinetic/cluster.h"
#include "kinetic/cluster_status.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/cluster/apply_plan.h"
#include "commands/cluster/options.h"
#include "commands/cluster/plan_output.h"
#include "commands/cluster/profile_file.h"
#include "context.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct DownOptions {
  std::optional<std::string> file;
  std::optional<std::string> user;
  bool purge = false;
  bool force = false;
  ApplyOptions apply;
};

/// Without --force, the jobs must be known.
Status CheckJobsKnown(const DownOptions& options, const ClusterPlan& plan, Context& context) {
  const Status& known = plan.running_jobs_status();
  if (known) return {};
  Error error = Error(known.error()).Context("cannot check for running jobs");
  if (options.force) {
    context.output.Warn(error.message);
    return {};
  }
  if (!error.hint.empty()) error.hint += "; ";
  error.hint += "to delete it without this check: add --force";
  return Failure(std::move(error));
}

Status CheckRunningJobs(const DownOptions& options, const ClusterPlan& plan, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckJobsKnown(options, plan, context));
  const std::size_t count = plan.running_jobs().size();
  if (count == 0 || options.force) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("{} job{} running on cluster {}: {}", count, count == 1 ? " is" : "s are",
                          plan.spec().name, fmt::join(plan.running_jobs(), ", ")),
              "wait, cancel your own with 'kinetic cancel --all', or end all of them with --force");
}

/// Fails if something still costs money, or if that cannot be found out.
Status CheckRemainingResources(const ClusterSpec& spec, Context& context) {
  auto remaining = FindRemainingResources(spec, ClusterAdminOptionsOf(context), context.stop);
  if (!remaining)
    return Failure(std::move(remaining).error().Context(
        "cannot check whether disks, addresses or load balancers of the cluster are left"));
  for (const BilledResource& one : *remaining)
    context.output.Warn(
        fmt::format("{} {} in {} still exists and costs money", one.kind, one.name, one.location));
  if (!remaining->empty())
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("cluster {} is not completely deleted", spec.name),
                fmt::format("delete the rest: https://console.cloud.google.com/home/"
                            "dashboard?project={}",
                            spec.project));
  context.output.Note("no disks, addresses or load balancers of the cluster are left");
  return {};
}

Result<ClusterPlan> PlanOf(const DownOptions& options, const ClusterSpec& spec, Context& context) {
  const ClusterAdminOptions admin = ClusterAdminOptionsOf(context);
  if (options.user) return PlanUserRemoval(spec, *options.user, options.purge, admin, context.stop);
  return PlanDown(spec, options.purge, admin, context.stop);
}

bool Deletes(const ClusterPlan& plan, std::string_view kind) {
  return std::ranges::any_of(plan.steps(), [&](const PlanStep& step) { return step.kind == kind; });
}

/// Shows which jobs a plan ends.
void WarnOfRunningJobs(const ClusterPlan& plan, Context& context) {
  if (!plan.running_jobs().empty())
    context.output.Warn(fmt::format("jobs are running: {}", fmt::join(plan.running_jobs(), ", ")));
}

void ReportKeptBucket(const DownOptions& options, const ClusterPlan& plan, Context& context) {
  if (options.purge) return;
  const std::string user = options.user ? " --user " + *options.user : "";
  const std::string store =
      options.user ? plan.users().front().profile.store : plan.profile().store;
  context.output.Note(fmt::format(
      "{} is kept; to delete it with all jobs and outputs: kinetic down --project {} --cluster "
      "{}{} --purge",
      store, plan.spec().project, plan.spec().name, user));
}

Result<int> Run(const DownOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const ClusterSpec spec, ClusterSpecOf(options.file, context));
  KINETIC_ASSIGN_OR_RETURN(const ClusterPlan plan, PlanOf(options, spec, context));
  if (plan.IsEmpty()) {
    context.output.Note(
        fmt::format("nothing to delete for {}",
                    options.user ? "user " + *options.user : "cluster " + plan.spec().name));
  } else {
    context.output.Show(ToTable(plan, true));
  }
  for (const std::string& warning : plan.warnings()) context.output.Warn(warning);
  if (options.apply.dry_run || plan.IsEmpty()) {
    WarnOfRunningJobs(plan, context);
    if (context.output.IsJson()) context.output.Document(ToDocument(plan, !options.apply.dry_run));
    if (!options.apply.dry_run && !options.user && !plan.keeps_cluster())
      KINETIC_RETURN_IF_ERROR(CheckRemainingResources(plan.spec(), context));
    return kSuccess;
  }
  KINETIC_RETURN_IF_ERROR(CheckRunningJobs(options, plan, context));
  ReportKeptBucket(options, plan, context);
  KINETIC_RETURN_IF_ERROR(
      ConfirmPlan(fmt::format("Delete these from project {}?", plan.spec().project),
                  options.apply.yes, context));
  KINETIC_RETURN_IF_ERROR(ApplyPlan(plan, context));
  Status remaining;
  // A cluster that is kept still needs its disks.
  if (!options.user && (!plan.keeps_cluster() || Deletes(plan, "cluster"))) {
    remaining = CheckRemainingResources(plan.spec(), context);
    const bool nothing_left = options.purge && (!plan.keeps_cluster() || Deletes(plan, "bucket"));
    ReleaseProfile(plan.profile(), nothing_left, context);
  }
  if (context.output.IsJson()) context.output.Document(ToDocument(plan, true));
  KINETIC_RETURN_IF_ERROR(remaining);
  return kSuccess;
}

}  // namespace

void RegisterDown(Command& parent) {
  Command& command = parent.Add(
      {.name = "down",
       .summary = "Delete a GKE cluster that 'kinetic up' created",
       .description =
           "Delete the cluster, the image repository and the service account that 'kinetic up' "
           "created, and\n"
           "nothing else. Keeps the bucket with jobs and outputs unless --purge is given. Then "
           "checks that nothing\n"
           "that costs money is left. --project, --cluster and --location select another cluster "
           "than that of the\n"
           "profile or kinetic.yaml.",
       .usage = {"[OPTIONS]"},
       .examples = {"kinetic down", "kinetic down --cluster team --purge --yes",
                    "kinetic down --user ana@example.com", "kinetic down --dry-run"},
       .writes_config = true,
       .any_target = true});
  auto options = std::make_shared<DownOptions>();
  AddClusterFileOption(command, options->file);
  command.Text({"--user", "EMAIL", "Delete only the access and the namespace of this user"},
               options->user);
  command.Flag({"--purge", "", "Also delete the bucket with all jobs and outputs"}, options->purge);
  command.Flag({"--force", "", "Also delete the cluster if jobs are running"}, options->force);
  AddApplyOptions(command, options->apply);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
