#pragma once

#include "kinetic/cluster_status.h"
#include "kinetic/value.h"

#include "context.h"
#include "output/table.h"

#include <string>
#include <vector>

namespace kinetic::cli {

Table PoolTable(const std::vector<NodePoolStatus>& pools);
Value PoolDocuments(const std::vector<NodePoolStatus>& pools);

/// Warns if the cluster's jobs and nodes are unknown.
void ReportAccess(const ClusterStatus& status, Context& context);

/// Returns the date of the oldest price, to be added to a text. Returns "" without a date.
std::string DateText(const std::string& oldest);

}  // namespace kinetic::cli
