#pragma once

#include "kinetic/job_cost.h"

#include "output/text.h"

#include <optional>
#include <string>

namespace kinetic::cli {

struct Context;

/// What the cost of a job is computed with.
struct Costs {
  Prices prices;  ///< the current ones
  Time now;

  std::optional<JobCost> Of(const JobSummary& job) const { return CostOf(job, prices, now); }
};

/// Returns the costs until now, with the prices that this machine has stored.
Costs CostsNow(const Context& context);

/// Rounds to millionths, so that documents have no meaningless digits.
double RoundedDollars(double dollars);

/// Returns "$0.42"; "<$0.01" for less than half a cent.
std::string DollarsText(double dollars);

/// Returns the cost for a table: "$0.42", "~$0.42" at a current price, "-" if it is unknown.
std::string CostText(const std::optional<JobCost>& cost);

/// Returns the accelerator of a job with the kind of its nodes: "v5litepod-8 (Spot)".
std::string NodesText(const JobSummary& job);

/// Returns the cost with the time and the price that it results from: "about $0.42 (21m 3s on
/// v5litepod-1 at $1.20/h, us-west4)". Empty if nothing is known about the price of the job.
std::string CostSentence(const JobSummary& job, const std::optional<JobCost>& cost);

/// Returns the document of a job with the member `cost`, which is null if it is unknown.
Value DocumentWithCost(const JobSummary& job, const Costs& costs);

/// Adds the member `cost` to the document of a job.
void AddCost(const JobSummary& job, const Costs& costs, Value& document);

}  // namespace kinetic::cli
