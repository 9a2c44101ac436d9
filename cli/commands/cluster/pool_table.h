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

/// Returns the dates of price lists: "2026-08-19", or "2026-08-19; TPUs: 2026-11-28".
std::string DatesText(const std::string& date, const std::string& tpu_date);

}  // namespace kinetic::cli
