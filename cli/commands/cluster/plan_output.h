#pragma once

#include "kinetic/cluster_plan.h"

#include "context.h"

#include <string>
#include <string_view>

namespace kinetic::cli {

/// Returns the expected time of a step, "about 5 min", or "" if it is short.
std::string MinutesText(const PlanStep& step);

/// Returns the plan's steps as a table.
///
/// @param with_kept  include resources that already are as desired.
Table ToTable(const ClusterPlan& plan, bool with_kept);

/// Returns the plan as a JSON document, with every request.
///
/// @param applied  whether the plan has been applied.
Value ToDocument(const ClusterPlan& plan, bool applied);

/// Returns "$0.17 per hour idle, $5.00 with all nodes of these pools busy instead of $1.37 (list
/// prices of 2026-08-19)", for the plan of one pool without the idle price.
std::string PriceText(const ClusterPrice& price);

/// Shows what a plan changes, the quotas that it needs, its warnings, and its price.
///
/// @param up_to_date  shown with the warnings instead, if the plan is empty.
void ShowPlan(const ClusterPlan& plan, std::string_view up_to_date, Context& context);

}  // namespace kinetic::cli
