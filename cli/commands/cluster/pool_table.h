#pragma once

#include "kinetic/cluster_status.h"
#include "kinetic/value.h"

#include "output/table.h"

#include <string>
#include <vector>

namespace kinetic::cli {

Table PoolTable(const std::vector<NodePoolStatus>& pools);
Value PoolDocuments(const std::vector<NodePoolStatus>& pools);

/// Returns the dates of price lists: "2026-08-19", or "2026-08-19; TPUs: 2026-11-28".
std::string DatesText(const std::string& date, const std::string& tpu_date);

}  // namespace kinetic::cli
