#pragma once

#include "kinetic/cluster_status.h"
#include "kinetic/value.h"

#include "output/table.h"

#include <vector>

namespace kinetic::cli {

Table PoolTable(const std::vector<NodePoolStatus>& pools);
Value PoolDocuments(const std::vector<NodePoolStatus>& pools);

}  // namespace kinetic::cli
