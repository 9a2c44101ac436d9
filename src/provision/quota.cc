#include "provision/quota.h"

#include "base/strings.h"
#include "google/api/services.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/resources/all.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::provision {
namespace {

/// A quota of Compute Engine, per chip, in the list of a region. v6e and later are only in Cloud
/// Quotas.
struct QuotaName {
  std::string_view generation;
  std::string_view on_demand;
  std::string_view spot;  ///< also of flex-start
};

constexpr std::array<QuotaName, 9> kRegionQuotas{{
    {"v5litepod", "TPU_LITE_PODSLICE_V5", "PREEMPTIBLE_TPU_LITE_PODSLICE_V5"},
    {"l4", "NVIDIA_L4_GPUS", "PREEMPTIBLE_NVIDIA_L4_GPUS"},
    {"t4", "NVIDIA_T4_GPUS", "PREEMPTIBLE_NVIDIA_T4_GPUS"},
    {"p4", "NVIDIA_P4_GPUS", "PREEMPTIBLE_NVIDIA_P4_GPUS"},
    {"p100", "NVIDIA_P100_GPUS", "PREEMPTIBLE_NVIDIA_P100_GPUS"},
    {"v100", "NVIDIA_V100_GPUS", "PREEMPTIBLE_NVIDIA_V100_GPUS"},
    {"a100", "NVIDIA_A100_GPUS", "PREEMPTIBLE_NVIDIA_A100_GPUS"},
    {"a100-80gb", "NVIDIA_A100_80GB_GPUS", "PREEMPTIBLE_NVIDIA_A100_80GB_GPUS"},
    {"h100", "NVIDIA_H100_GPUS", "PREEMPTIBLE_NVIDIA_H100_GPUS"},
}};

constexpr std::array<QuotaName, 2> kCloudQuotas{{
    {"v5p", "TPU-V5P-per-project-region", "PREEMPTIBLE-TPU-V5P-per-project-region"},
    {"v6e", "TPUS-PER-TPU-FAMILY-per-project-region", "PREEMPTIBLE-TPU-V6E-per-project-region"},
}};

template <std::size_t N>
std::string NameIn(const std::array<QuotaName, N>& table, const NodePoolSpec& pool) {
  const auto row = std::ranges::find(table, pool.accelerator.generation, &QuotaName::generation);
  if (row == table.end()) return "";
  return std::string(pool.spot || pool.flex_start ? row->spot : row->on_demand);
}

/// Returns the chips of the nodes that a pool may have in addition to `existing` ones.
double ChipsOf(const NodePoolSpec& pool, std::size_t existing) {
  const std::size_t most = std::max(pool.max_nodes, pool.accelerator.hosts);
  const auto nodes = static_cast<double>(most - std::min(most, existing));
  return nodes * pool.accelerator.chips / pool.accelerator.hosts;
}

std::size_t CountOf(const NodeTimes& nodes, const std::string& pool) {
  const auto found = nodes.find(pool);
  return found != nodes.end() ? found->second.size() : 0;
}

std::optional<double> NumberAt(const Value& value, std::string_view key) {
  const Value* member = value.Find(key);
  if (member == nullptr) return std::nullopt;
  if (member->AsDouble() != nullptr) return *member->AsDouble();
  if (member->AsInt() != nullptr) return static_cast<double>(*member->AsInt());
  if (member->AsString() == nullptr) return std::nullopt;
  const auto number = ParseInt(*member->AsString());
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

/// Returns the unused amount of each quota of a region.
std::map<std::string, double> RegionQuotas(const google::ApiClient& api, const ClusterSpec& spec,
                                           const std::string& region, const std::stop_token& stop) {
  std::map<std::string, double> available;
  const auto answer =
      api.Send({.service = std::string(google::kCompute),
                .path = "/compute/v1/projects/" + http::PercentEncode(spec.project) + "/regions/" +
                        region + "?fields=quotas"},
               stop);
  if (!answer) return available;
  json::ObjectReader reader(*answer, "region");
  for (const Value& quota : reader.List("quotas")) {
    const auto limit = NumberAt(quota, "limit");
    const auto usage = NumberAt(quota, "usage");
    if (limit) available[json::TextAt(quota, "metric")] = *limit - usage.value_or(0);
  }
  return available;
}

/// A limit is for one region, or for all regions without a limit of their own.
bool IsFor(const Value& info, const std::string& region, const NodePoolSpec& pool) {
  const Value* dimensions = info.Find("dimensions");
  const std::string only = dimensions != nullptr ? json::TextAt(*dimensions, "region") : "";
  const std::string family = dimensions != nullptr ? json::TextAt(*dimensions, "tpu_family") : "";
  if (!family.empty() && (family != "CT6E" || pool.accelerator.generation != "v6e")) return false;
  if (!only.empty()) return only == region;
  json::ObjectReader reader(info, "quota");
  return std::ranges::any_of(reader.List("applicableLocations"), [&](const Value& location) {
    return location.AsString() != nullptr && *location.AsString() == region;
  });
}

/// Returns the limit of a quota in Cloud Quotas, which does not report the usage. Google leaves out
/// the value 0.
///
/// @source  https://cloud.google.com/docs/quotas/reference/rest/v1/projects.locations.services.quotaInfos
std::optional<double> CloudQuota(const google::ApiClient& api, const ClusterSpec& spec,
                                 const NodePoolSpec& pool, const QuotaNeed& need,
                                 const std::stop_token& stop) {
  const auto answer = api.Send(
      {.service = std::string(google::kQuotas),
       .path = "/v1/projects/" + http::PercentEncode(spec.project) +
               "/locations/global/services/compute.googleapis.com/quotaInfos/" + need.name},
      stop);
  if (!answer) return std::nullopt;
  json::ObjectReader reader(*answer, "quota");
  for (const Value& info : reader.List("dimensionsInfos")) {
    const Value* details = info.Find("details");
    if (details == nullptr || !IsFor(info, need.region, pool)) continue;
    const std::optional<double> limit =
        details->Find("value") == nullptr ? 0 : NumberAt(*details, "value");
    const bool is_unlimited = limit && *limit < 0;
    return is_unlimited ? std::nullopt : limit;
  }
  return std::nullopt;
}

}  // namespace

std::vector<QuotaNeed> FindQuotas(const google::ApiClient& api, const ClusterSpec& spec,
                                  const std::optional<NodeTimes>& nodes,
                                  const std::stop_token& stop) {
  const std::string region = spec.location.substr(0, spec.location.rfind('-'));
  std::vector<QuotaNeed> needs;
  std::optional<std::map<std::string, double>> available;
  for (const NodePoolSpec& pool : spec.pools) {
    QuotaNeed need{.name = NameIn(kRegionQuotas, pool), .region = region};
    if (!pool.reservation.empty()) continue;
    if (!need.name.empty()) {
      need.needed = ChipsOf(pool, nodes ? CountOf(*nodes, PoolName(pool)) : 0);
      if (need.needed == 0) continue;
      if (!available) available = RegionQuotas(api, spec, region, stop);
      const auto found = available->find(need.name);
      if (found != available->end()) need.available = found->second;
    } else {
      need.name = NameIn(kCloudQuotas, pool);
      if (need.name.empty()) continue;
      need.needed = ChipsOf(pool, 0);  // the usage is unknown
      need.available = CloudQuota(api, spec, pool, need, stop);
    }
    if (!nodes) need.available.reset();
    const auto same = std::ranges::find_if(needs, [&](const QuotaNeed& other) {
      return other.name == need.name && other.region == need.region;
    });
    if (same == needs.end()) {
      needs.push_back(std::move(need));
    } else {
      same->needed += need.needed;
    }
  }
  return needs;
}

bool HasEnough(const QuotaNeed& need) { return !need.available || *need.available >= need.needed; }

}  // namespace kinetic::provision
