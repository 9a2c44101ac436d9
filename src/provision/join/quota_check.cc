#include "provision/join/quota_check.h"

#include "kinetic/accelerator.h"

#include "provision/quota.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

bool IsOfPool(const Accelerator& accelerator, const ExistingPool& pool) {
  if (accelerator.kind == AcceleratorKind::kGpu)
    return accelerator.node_label == pool.gpu && accelerator.chips == pool.gpus;
  if (accelerator.kind != AcceleratorKind::kTpu || accelerator.machine_type != pool.machine_type)
    return false;
  // Single hosts have no topology.
  return pool.topology.empty() ? accelerator.hosts == 1 : accelerator.topology == pool.topology;
}

std::string QuotaText(const QuotaNeed& need) {
  const std::string available =
      need.available ? fmt::format("{:g} available", *need.available) : "availability unknown";
  return fmt::format("{} in {}: {:g} needed, {}", need.name, need.region, need.needed, available);
}

}  // namespace

std::optional<NodePoolSpec> SpecOf(const ExistingPool& pool) {
  for (const Accelerator& accelerator : Accelerators()) {
    if (!IsOfPool(accelerator, pool)) continue;
    NodePoolSpec spec;
    spec.name = pool.name;
    spec.accelerator = accelerator;
    spec.spot = pool.spot;
    spec.flex_start = pool.flex_start;
    spec.reservation = pool.reservation;
    spec.max_nodes = pool.max_nodes;
    return spec;
  }
  return std::nullopt;
}

std::optional<HealthCheck> CheckQuotas(const Scope& scope, const ExistingCluster& cluster,
                                       const std::stop_token& stop) {
  ClusterSpec spec;
  spec.project = scope.project;
  // The region of a regional cluster gets a zone, because quotas are looked up by zone.
  spec.location = scope.Region() + "-a";
  for (const ExistingPool& pool : cluster.pools) {
    if (auto known = SpecOf(pool)) spec.pools.push_back(*std::move(known));
  }
  std::vector<std::string> texts;
  HealthCheck check{.name = "quota"};
  for (const QuotaNeed& need : FindQuotas(*scope.api, spec, stop)) {
    texts.push_back(QuotaText(need));
    if (!need.available || *need.available >= need.needed) continue;
    check.health = Health::kWarning;
    check.advice =
        "request more: https://console.cloud.google.com/iam-admin/quotas?project=" + scope.project;
  }
  if (texts.empty()) return std::nullopt;
  check.evidence = fmt::format("{}", fmt::join(texts, "; "));
  return check;
}

}  // namespace kinetic::provision
