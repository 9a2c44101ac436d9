#pragma once

#include "kinetic/cluster_plan.h"
#include "kinetic/result.h"

#include "google/api/client.h"
#include "provision/cluster_access.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace kinetic::provision {

/// Returns the quotas that the pools use at their maximum size. A quota whose limit cannot be read
/// is returned without one: it is advice, and never prevents anything.
///
/// @param   nodes  that exist: Compute Engine counts them as used, so they are not needed again.
///                 nullopt: unknown, so what is available is unknown, too.
/// @source  https://cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus#quota
std::vector<QuotaNeed> FindQuotas(const google::ApiClient& api, const ClusterSpec& spec,
                                  const std::optional<NodeTimes>& nodes,
                                  const std::stop_token& stop);

/// Returns whether the available amount is sufficient or unknown.
bool HasEnough(const QuotaNeed& need);

}  // namespace kinetic::provision
