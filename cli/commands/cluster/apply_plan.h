#pragma once

#include "kinetic/cluster_plan.h"

#include "context.h"

#include <string_view>

namespace kinetic::cli {

class Command;

/// What a command does with its plan.
struct ApplyOptions {
  bool yes = false;      ///< do not ask for confirmation
  bool dry_run = false;  ///< show the plan only
};

/// Adds --yes and --dry-run to a command.
void AddApplyOptions(Command& command, ApplyOptions& options);

/// Checks that the user agreed to every replacement of a node pool.
///
/// @errors  kFailedPrecondition: names the pool, the difference, and the jobs that would end.
Status CheckReplacements(const ClusterPlan& plan, bool replace);

/// Asks the user whether to apply a plan, unless `yes`.
///
/// @errors  kInvalidArgument: there is no terminal to ask on · kCancelled: the answer is no.
Status ConfirmPlan(std::string_view question, bool yes, Context& context);

/// Applies a plan and shows its progress.
///
/// @errors  those of ClusterPlan::Apply.
Status ApplyPlan(const ClusterPlan& plan, Context& context);

/// Applies a plan that was shown, unless it is empty or --dry-run is given: asks the user, and shows
/// the progress. With --json, prints the plan.
///
/// @errors  those of ConfirmPlan and ApplyPlan.
Result<int> FinishPlan(const ClusterPlan& plan, std::string_view question,
                       const ApplyOptions& options, Context& context);

}  // namespace kinetic::cli
