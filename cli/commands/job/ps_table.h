#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"

#include "commands/job/cost_view.h"
#include "output/table.h"

#include <optional>
#include <string>
#include <vector>

namespace kinetic::cli {

/// Returns the names of the columns of `kinetic ps`, in the order in which it shows them.
std::vector<std::string> PsColumns();

/// Returns the names of the columns by which `kinetic ps --sort` sorts.
std::vector<std::string> PsSortKeys();

/// Splits and checks the value of --columns: "id,state,args".
///
/// @errors  kInvalidArgument: no column has this name.
Result<std::vector<std::string>> ParseColumns(const std::string& text);

/// Sorts by a column: texts alphabetically, times with the latest first, durations with the longest
/// first. Equal jobs keep their order.
void SortJobs(const std::string& column, std::vector<JobSummary>& jobs);

/// Returns the table of jobs.
///
/// @param columns  shown as they are. nullopt: the usual ones, of which some are left out if they
///                 are empty or do not fit.
Table PsTable(const std::vector<JobSummary>& jobs,
              const std::optional<std::vector<std::string>>& columns, const Costs& costs);

}  // namespace kinetic::cli
