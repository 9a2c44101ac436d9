#include "provision/pool_status.h"

#include "base/strings.h"
#include "jobspec/accelerator/price.h"
#include "json/document.h"
#include "provision/join/existing_cluster.h"
#include "provision/pool_specs.h"
#include "provision/resources/all.h"
#include "provision/resources/gke.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace kinetic::provision {
namespace {

std::uint32_t CountAt(const Value* map, std::string_view key) {
  const Value* count = map != nullptr ? map->Find(key) : nullptr;
  const std::int64_t* number = count != nullptr ? count->AsInt() : nullptr;
  return number != nullptr ? static_cast<std::uint32_t>(*number) : 0;
}

/// Parses "120s".
std::optional<std::chrono::seconds> SecondsIn(const std::string& text) {
  const auto number = ParseInt(text.substr(0, text.find('s')));
  return number ? std::optional(std::chrono::seconds{*number}) : std::nullopt;
}

}  // namespace

std::optional<Price> NodePriceOf(const NodePoolSpec& pool, std::string_view region,
                                 const Prices& prices) {
  return jobspec::NodePrice(prices, pool.accelerator, region, ProvisioningOf(pool));
}

std::optional<Price> SystemNodePrice(std::string_view region) {
  auto price = jobspec::E2Price(kSystemMachine, region);
  if (price) price->dollars_per_hour += jobspec::kDiskAndAddress;
  return price;
}

NodePoolStatus PoolStatusOf(const Scope& scope, const Value& pool, const Prices& prices) {
  NodePoolStatus status;
  status.name = json::TextAt(pool, "name");
  status.status = json::TextAt(pool, "status");
  if (const Value* config = pool.Find("config")) {
    status.machine_type = json::TextAt(*config, "machineType");
    status.spot = HasFlag(*config, "spot");
    status.idle_time = SecondsIn(json::TextAt(*config, "consolidationDelay"));
  }
  if (const auto spec = SpecOf(ParsePool(scope, pool))) {
    status.price = NodePriceOf(*spec, scope.Region(), prices);
  } else if (status.name == kSystemPool && status.machine_type == kSystemMachine) {
    status.price = SystemNodePrice(scope.Region());
  } else if (!status.spot) {
    status.price = jobspec::E2Price(status.machine_type, scope.Region());
  }
  const Value* autoscaling = pool.Find("autoscaling");
  status.max_nodes = CountAt(autoscaling, "maxNodeCount");
  if (status.max_nodes == 0) status.max_nodes = CountAt(&pool, "initialNodeCount");
  return status;
}

}  // namespace kinetic::provision
