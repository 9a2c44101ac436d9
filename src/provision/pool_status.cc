#include "provision/pool_status.h"

#include "jobspec/accelerator/price.h"
#include "json/document.h"
#include "provision/resources/gke.h"

#include <cstdint>

namespace kinetic::provision {
namespace {

std::uint32_t CountAt(const Value* map, std::string_view key) {
  const Value* count = map != nullptr ? map->Find(key) : nullptr;
  const std::int64_t* number = count != nullptr ? count->AsInt() : nullptr;
  return number != nullptr ? static_cast<std::uint32_t>(*number) : 0;
}

}  // namespace

NodePoolStatus PoolStatusOf(const Value& pool, std::string_view region, const Prices& prices) {
  NodePoolStatus status;
  status.name = json::TextAt(pool, "name");
  status.status = json::TextAt(pool, "status");
  if (const Value* config = pool.Find("config")) {
    status.machine_type = json::TextAt(*config, "machineType");
    status.spot = HasFlag(*config, "spot");
    // Flex-start has prices of its own, which are not in the list.
    if (!HasFlag(*config, "flexStart"))
      status.price = jobspec::PriceOfMachine(prices, status.machine_type, region, status.spot);
  }
  const Value* autoscaling = pool.Find("autoscaling");
  status.max_nodes = CountAt(autoscaling, "maxNodeCount");
  if (status.max_nodes == 0) status.max_nodes = CountAt(&pool, "initialNodeCount");
  return status;
}

}  // namespace kinetic::provision
