#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/cluster/apply_plan.h"
#include "commands/cluster/options.h"
#include "commands/cluster/plan_output.h"
#include "commands/cluster/pool_options.h"
#include "commands/cluster/profile_file.h"
#include "commands/system/refresh_prices.h"
#include "context.h"
#include "exit_code.h"
#include "settings/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct UpOptions {
  std::optional<std::string> file;
  std::vector<std::string> accelerators;
  PoolOptions pool;
  std::optional<std::string> network;
  std::optional<std::string> ttl;
  std::optional<std::string> down_when_idle;
  std::vector<std::string> users;
  bool replace = false;
  ApplyOptions apply;
};

/// Returns whether an option names a pool of kinetic.yaml, or of an earlier option.
bool IsSamePool(const NodePoolSpec& listed, const NodePoolSpec& given) {
  return listed.name.empty() && listed.reservation.empty() &&
         listed.accelerator == given.accelerator && listed.spot == given.spot &&
         listed.flex_start == given.flex_start;
}

Status AddPools(const UpOptions& options, ClusterSpec& spec) {
  if (options.accelerators.empty() && options.pool.Any())
    return Fail(ErrorCode::kInvalidArgument,
                "--spot, --flex-start, --max-nodes and --idle-time require --accelerator",
                "for the pools of kinetic.yaml, set spot, flex_start, max_nodes and idle_time "
                "there");
  for (const std::string& name : options.accelerators) {
    KINETIC_ASSIGN_OR_RETURN(NodePoolSpec pool, PoolOf(name, options.pool));
    const auto same = std::ranges::find_if(
        spec.pools, [&](const NodePoolSpec& listed) { return IsSamePool(listed, pool); });
    if (same == spec.pools.end()) {
      spec.pools.push_back(std::move(pool));
      continue;
    }
    if (pool.max_nodes > 0) same->max_nodes = pool.max_nodes;
    if (pool.idle_time) same->idle_time = pool.idle_time;
  }
  return {};
}

/// Parses the value of --ttl or --down-when-idle.
Status ReadTimeLimit(std::string_view option, const std::optional<std::string>& text,
                     std::optional<std::chrono::seconds>& limit) {
  if (!text) return {};
  if (*text == "none") {
    limit = std::chrono::seconds{0};
    return {};
  }
  KINETIC_ASSIGN_OR_RETURN(const auto time, settings::ParseDurationOf(option, *text));
  limit = std::chrono::ceil<std::chrono::seconds>(time);
  if (limit->count() > 0) return {};
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: found {}", option, *text),
              "to keep the cluster, use 'none'; to delete it now: kinetic down");
}

Result<ClusterSpec> SpecOf(const UpOptions& options, const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(ClusterSpec spec, NewClusterSpecOf(options.file, context));
  KINETIC_RETURN_IF_ERROR(AddPools(options, spec));
  if (options.network) spec.network = *options.network;
  KINETIC_RETURN_IF_ERROR(ReadTimeLimit("--ttl", options.ttl, spec.ttl));
  KINETIC_RETURN_IF_ERROR(
      ReadTimeLimit("--down-when-idle", options.down_when_idle, spec.down_when_idle));
  spec.users.insert(spec.users.end(), options.users.begin(), options.users.end());
  return spec;
}

/// The plan, with the command with which each user creates a profile.
Value PlanDocument(const ClusterPlan& plan, bool applied) {
  const std::vector<ClusterUser> all = plan.users();
  Value::List users;
  users.reserve(all.size());
  for (const ClusterUser& user : all)
    users.emplace_back(
        Value::Map{{"email", user.email}, {"profile_command", ProfileCommand(user.profile)}});
  Value document = ToDocument(plan, applied);
  document.Set("users", std::move(users));
  return document;
}

/// Shows the command with which each user creates a profile.
void ShowUsers(const ClusterPlan& plan, Context& context) {
  for (const ClusterUser& user : plan.users()) {
    context.output.Note(fmt::format("{} creates a profile with this command:", user.email));
    context.output.Line(ProfileCommand(user.profile));
  }
}

Result<int> Run(const UpOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const ClusterSpec spec, SpecOf(options, context));
  const auto make_plan = [&] { return PlanUp(spec, ClusterAdminOptionsOf(context), context.stop); };
  KINETIC_ASSIGN_OR_RETURN(ClusterPlan plan, make_plan());
  if (RefreshOldPrices(context)) {
    KINETIC_ASSIGN_OR_RETURN(plan, make_plan());
  }
  ShowPlan(plan, fmt::format("cluster {} is up to date", plan.spec().name), context);
  if (options.apply.dry_run) {
    const Status replaces = CheckReplacements(plan, options.replace);
    if (!replaces)
      context.output.Warn(fmt::format("{}; {}", replaces.error().message, replaces.error().hint));
    if (context.output.IsJson()) context.output.Document(PlanDocument(plan, false));
    return kSuccess;
  }
  if (!plan.IsEmpty()) {
    KINETIC_RETURN_IF_ERROR(CheckReplacements(plan, options.replace));
    KINETIC_RETURN_IF_ERROR(
        ConfirmPlan(fmt::format("Apply this plan to project {}?", plan.spec().project),
                    options.apply.yes, context));
    KINETIC_RETURN_IF_ERROR(PrepareProfile(plan.profile(), context));
    const Status applied = ApplyPlan(plan, context);
    if (!applied) {
      if (applied.error().code != ErrorCode::kCancelled)
        context.output.Note(
            fmt::format("what was created is kept: run the same command again to continue (with "
                        "--replace if something failed), or delete it with 'kinetic down "
                        "--project {} --cluster {}'",
                        plan.spec().project, plan.spec().name));
      return Failure(applied.error());
    }
  }
  KINETIC_RETURN_IF_ERROR(SaveAndUseProfile(plan.profile(), context));
  if (context.output.IsJson()) {
    context.output.Document(PlanDocument(plan, true));
  } else {
    ShowUsers(plan, context);
  }
  return kSuccess;
}

}  // namespace

void RegisterUp(Command& parent) {
  Command& command = parent.Add(
      {.name = "up",
       .summary = "Create or change a GKE cluster",
       .description =
           "Create a GKE cluster with a bucket, an image repository and node pools that scale to "
           "zero, or change\n"
           "it. Shows the plan with its price and asks before it changes anything. Saves a profile "
           "and uses it.\n"
           "Run the same command again after an error or interruption. --project, --cluster and "
           "--location select\n"
           "the project, the cluster's name and its zone.",
       .usage = {"[OPTIONS]"},
       .examples = {"kinetic up --project my-project --accelerator v5litepod-1",
                    "kinetic up --accelerator v5litepod-1 --accelerator l4 --spot --max-nodes 4",
                    "kinetic up --ttl 8h --down-when-idle 30m",
                    "kinetic up --user ana@example.com --user bo@example.com",
                    "kinetic up --file kinetic.yaml --yes", "kinetic up --dry-run --json"},
       .writes_config = true,
       .any_target = true});
  auto options = std::make_shared<UpOptions>();
  AddClusterFileOption(command, options->file);
  command.Texts(
      {"--accelerator", "NAME", "Accelerator of a node pool", CompletionKind::kAccelerator},
      options->accelerators);
  AddPoolOptions(command, options->pool);
  command.Text({"--network", "NAME", "Existing VPC network (default: default)"}, options->network);
  command.Text({"--ttl", "TIME|none",
                "Delete the cluster and its jobs after this time, also when this machine is off"},
               options->ttl);
  command.Text({"--down-when-idle", "TIME|none", "Delete the cluster after this time without jobs"},
               options->down_when_idle);
  command.Texts(
      {"--user", "EMAIL", "Email address of a person to create a namespace and storage folder for"},
      options->users);
  command.Flag({"--replace", "",
                "Delete and create again what failed, and node pools that cannot be changed"},
               options->replace);
  AddApplyOptions(command, options->apply);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
