#pragma once

#include "kinetic/job.h"
#include "kinetic/value.h"

#include "commands/job/cost_view.h"
#include "output/table.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinetic::cli {

/// The costs of several jobs, their total, and how they compare.
class CostList {
 public:
  CostList(const std::vector<JobSummary>& jobs, const Costs& costs);

  /// Returns a row for each job, and one for the total of several.
  Table ToTable() const;
  /// Returns what the table does not say: which jobs are not in the total, and the dates of prices.
  std::vector<std::string> Notes() const;
  Value Document() const;

 private:
  struct Row {
    JobSummary job;
    std::optional<JobCost> cost;
  };

  std::optional<double> RatioOf(const Row& row) const;

  const Costs costs_;
  std::vector<Row> rows_;
  JobCost total_;
  std::size_t known_ = 0;  ///< jobs with a known cost
  double lowest_ = 0;      ///< of several known costs; 0: they are not comparable
};

}  // namespace kinetic::cli
