#pragma once

#include "kinetic/export.h"
#include "kinetic/job.h"
#include "kinetic/prices.h"

#include <chrono>
#include <optional>

namespace kinetic::inline v0 {

/// The cost of the nodes that a job ran on, at list prices. Nodes without a job, storage, network and
/// the cluster itself are not part of it.
struct JobCost {
  double dollars = 0;                     ///< US dollars
  std::chrono::milliseconds node_time{};  ///< for which its attempts or tasks held a node
  Price price;                            ///< of all nodes at the same time
  /// The price was unknown when the job was submitted. `price` is the current one.
  bool is_current_price = false;
};

/// Returns the cost of a job until `now`, or nullopt if it is unknown: the job has no price, or is an
/// unfinished array. A preempted attempt that stored no outcome is not included, because its times
/// are not recorded. Sends no request.
///
/// @param prices  used if the price was unknown when the job was submitted: ClientOptions::prices.
KINETIC_EXPORT std::optional<JobCost> CostOf(const JobSummary& job, const Prices& prices,
                                             std::chrono::system_clock::time_point now);

}  // namespace kinetic::inline v0
