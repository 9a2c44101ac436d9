#include "provision/join/quota_check.h"

#include "kinetic/accelerator.h"

#include "provision/pool_specs.h"
#include "provision/quota.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

std::string QuotaText(const QuotaNeed& need) {
  const std::string available =
      need.available ? fmt::format("{:g} available", *need.available) : "availability unknown";
  return fmt::format("{} in {}: {:g} needed, {}", need.name, need.region, need.needed, available);
}

}  // namespace

std::optional<HealthCheck> CheckQuotas(const Scope& scope, const ExistingCluster& cluster,
                                       const std::optional<NodeTimes>& nodes,
                                       const std::stop_token& stop) {
  ClusterSpec spec;
  spec.project = scope.project;
  // The region of a regional cluster gets a zone, because quotas are looked up by zone.
  spec.location = scope.Region() + "-a";
  AddOtherPools(cluster.pools, spec.pools);
  if (spec.pools.empty()) return std::nullopt;
  HealthCheck check{.name = "quota"};
  std::vector<std::string> texts;
  for (const QuotaNeed& need : FindQuotas(*scope.api, spec, nodes, stop)) {
    texts.push_back(QuotaText(need));
    if (HasEnough(need)) continue;
    check.health = Health::kWarning;
    check.advice =
        "request more: https://console.cloud.google.com/iam-admin/quotas?project=" + scope.project;
  }
  check.evidence = texts.empty() ? std::string("no further nodes need quota")
                                 : fmt::format("{}", fmt::join(texts, "; "));
  return check;
}

}  // namespace kinetic::provision
