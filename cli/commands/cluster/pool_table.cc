#include "commands/cluster/pool_table.h"

#include "documents.h"
#include "output/text.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

std::string NodePriceText(const NodePoolStatus& pool) {
  return pool.price ? fmt::format("${:.2f}", pool.price->dollars_per_hour) : "unknown";
}

}  // namespace

Table PoolTable(const std::vector<NodePoolStatus>& pools) {
  Table table{.headings = {"POOL", "MACHINE TYPE", "SPOT", "NODES", "MAX", "IDLE TIME", "NODE/HOUR",
                           "STATUS"},
              .droppable = {"IDLE TIME", "SPOT", "NODE/HOUR", "MAX", "MACHINE TYPE", "NODES"},
              .whole = {"POOL", "MACHINE TYPE"}};
  for (const NodePoolStatus& pool : pools)
    table.rows.push_back({pool.name, pool.machine_type, std::string(pool.spot ? "yes" : "no"),
                          pool.nodes ? fmt::format("{}", *pool.nodes) : "unknown",
                          fmt::format("{}", pool.max_nodes),
                          pool.idle_time ? FormatDuration(*pool.idle_time) : "default",
                          NodePriceText(pool), pool.status});
  return table;
}

void ReportAccess(const ClusterStatus& status, Context& context) {
  if (status.access_status) return;
  const Error& error = status.access_status.error();
  context.output.Warn(fmt::format("cannot read the jobs and nodes of cluster {}: {}{}", status.name,
                                  error.message, error.hint.empty() ? "" : "; " + error.hint));
}

Value PoolDocuments(const std::vector<NodePoolStatus>& pools) {
  Value::List documents;
  for (const NodePoolStatus& pool : pools)
    documents.emplace_back(Value::Map{
        {"name", pool.name},
        {"machine_type", pool.machine_type},
        {"spot", pool.spot},
        {"nodes", pool.nodes ? Number(*pool.nodes) : Value()},
        {"max_nodes", Number(pool.max_nodes)},
        {"idle_seconds", pool.idle_time ? Value(pool.idle_time->count()) : Value()},
        {"price_per_node_hour", pool.price ? Value(pool.price->dollars_per_hour) : Value()},
        {"price_date", pool.price ? Value(pool.price->date) : Value()},
        {"status", pool.status}});
  return documents;
}

std::string DateText(const std::string& oldest) {
  return oldest.empty() ? "" : " (list prices, the oldest of " + oldest + ")";
}

}  // namespace kinetic::cli
