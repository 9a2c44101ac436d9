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

constexpr std::string_view kTpuFamilies = "TPUS-PER-TPU-FAMILY-per-project-region";
constexpr std::string_view kGpuFamilies = "GPUS-PER-GPU-FAMILY-per-project-region";
/// All GPUs of a project; 0 in new projects.
constexpr std::string_view kAllGpus = "GPUS-ALL-REGIONS-per-project";
constexpr std::string_view kAllRegions = "all regions";

/// The quotas of a generation, per chip. Those with '_' are in Compute Engine's list of a region,
/// the others in Cloud Quotas.
struct QuotaNames {
  std::string_view generation;
  std::string_view on_demand;
  std::string_view spot;         ///< also of flex-start
  std::string_view family = "";  ///< the quota's dimension tpu_family or gpu_family
};

constexpr std::array<QuotaNames, 17> kQuotaNames{{
    {"v4", "TPU_PODSLICE_V4", "PREEMPTIBLE_TPU_PODSLICE_V4"},
    {"v5litepod", "TPU_LITE_PODSLICE_V5", "PREEMPTIBLE_TPU_LITE_PODSLICE_V5"},
    {"v5p", "TPU-V5P-per-project-region", "PREEMPTIBLE-TPU-V5P-per-project-region"},
    {"v6e", kTpuFamilies, "PREEMPTIBLE-TPU-V6E-per-project-region", "CT6E"},
    {"tpu7x", kTpuFamilies, "PREEMPTIBLE-TPU7X-per-project-region", "tpu7x"},
    {"l4", "NVIDIA_L4_GPUS", "PREEMPTIBLE_NVIDIA_L4_GPUS"},
    {"t4", "NVIDIA_T4_GPUS", "PREEMPTIBLE_NVIDIA_T4_GPUS"},
    {"p4", "NVIDIA_P4_GPUS", "PREEMPTIBLE_NVIDIA_P4_GPUS"},
    {"p100", "NVIDIA_P100_GPUS", "PREEMPTIBLE_NVIDIA_P100_GPUS"},
    {"v100", "NVIDIA_V100_GPUS", "PREEMPTIBLE_NVIDIA_V100_GPUS"},
    {"a100", "NVIDIA_A100_GPUS", "PREEMPTIBLE_NVIDIA_A100_GPUS"},
    {"a100-80gb", "NVIDIA_A100_80GB_GPUS", "PREEMPTIBLE_NVIDIA_A100_80GB_GPUS"},
    {"h100", kGpuFamilies, "PREEMPTIBLE-NVIDIA-H100-GPUS-per-project-region", "NVIDIA_H100"},
    {"h100-mega", kGpuFamilies, "PREEMPTIBLE-NVIDIA-H100-MEGA-GPUS-per-project-region",
     "NVIDIA_H100_MEGA"},
    {"h200", kGpuFamilies, "PREEMPTIBLE-NVIDIA-H200-GPUS-per-project-region", "NVIDIA_H200"},
    {"b200", kGpuFamilies, "PREEMPTIBLE-NVIDIA-B200-GPUS-per-project-region", "NVIDIA_B200"},
    {"rtx-pro-6000", kGpuFamilies, "PREEMPTIBLE-NVIDIA-RTX-PRO-6000-GPUS-per-project-region",
     "NVIDIA_RTX_PRO_6000"},
}};

struct Quota {
  std::string_view name;
  std::string_view family = "";

  bool IsOfRegion() const { return name.find('_') != std::string_view::npos; }
  std::string FullName() const {
    return std::string(name) + (family.empty() ? "" : " (" + std::string(family) + ")");
  }
};

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

/// Returns how many dimensions of a limit match, or nullopt if it is for something else: another
/// region, or all regions without a limit of their own.
std::optional<std::size_t> MatchOf(const Value& info, std::string_view region,
                                   std::string_view family) {
  json::ObjectReader reader(info, "quota");
  std::size_t matching = 0;
  for (const auto& [name, value] : reader.Map("dimensions")) {
    const std::string_view wanted = name == "region" ? region : family;
    if (value.AsString() == nullptr || *value.AsString() != wanted) return std::nullopt;
    ++matching;
  }
  const Value::List& places = reader.List("applicableLocations");
  const bool applies =
      region == kAllRegions || std::ranges::any_of(places, [&](const Value& place) {
        return place.AsString() != nullptr && *place.AsString() == region;
      });
  return applies ? std::optional(matching) : std::nullopt;
}

/// Returns the limit of a quota in Cloud Quotas, which does not report the usage: that with the most
/// dimensions. Google leaves out the value 0.
///
/// @source  https://cloud.google.com/docs/quotas/reference/rest/v1/projects.locations.services.quotaInfos
std::optional<double> CloudQuota(const google::ApiClient& api, const ClusterSpec& spec,
                                 const Quota& quota, std::string_view region,
                                 const std::stop_token& stop) {
  const auto answer =
      api.Send({.service = std::string(google::kQuotas),
                .path = "/v1/projects/" + http::PercentEncode(spec.project) +
                        "/locations/global/services/compute.googleapis.com/quotaInfos/" +
                        std::string(quota.name)},
               stop);
  if (!answer) return std::nullopt;
  json::ObjectReader reader(*answer, "quota");
  std::optional<std::size_t> best;
  std::optional<double> limit;
  for (const Value& info : reader.List("dimensionsInfos")) {
    const Value* details = info.Find("details");
    const auto match = MatchOf(info, region, quota.family);
    if (details == nullptr || !match || (best && *match <= *best)) continue;
    best = match;
    limit = details->Find("value") == nullptr ? 0 : NumberAt(*details, "value");
  }
  const bool is_unlimited = limit && *limit < 0;
  return is_unlimited ? std::nullopt : limit;
}

/// Returns the quotas that a pool uses together.
std::vector<Quota> QuotasOf(const NodePoolSpec& pool) {
  const auto* const row =
      std::ranges::find(kQuotaNames, pool.accelerator.generation, &QuotaNames::generation);
  if (row == kQuotaNames.end() || !pool.reservation.empty()) return {};
  if (pool.spot || pool.flex_start) return {{.name = row->spot}};
  std::vector<Quota> quotas{{.name = row->on_demand, .family = row->family}};
  if (pool.accelerator.kind == AcceleratorKind::kGpu) quotas.push_back({.name = kAllGpus});
  return quotas;
}

}  // namespace

std::vector<QuotaNeed> FindQuotas(const google::ApiClient& api, const ClusterSpec& spec,
                                  const std::optional<NodeTimes>& nodes,
                                  const std::stop_token& stop) {
  const std::string region = spec.location.substr(0, spec.location.rfind('-'));
  std::vector<QuotaNeed> needs;
  std::optional<std::map<std::string, double>> of_region;
  const auto available = [&](const Quota& quota, const QuotaNeed& need) -> std::optional<double> {
    if (!quota.IsOfRegion()) return CloudQuota(api, spec, quota, need.region, stop);
    if (!of_region) of_region = RegionQuotas(api, spec, region, stop);
    const auto found = of_region->find(need.name);
    return found != of_region->end() ? std::optional(found->second) : std::nullopt;
  };
  const auto add = [&](const NodePoolSpec& pool, const Quota& quota) {
    QuotaNeed need{.name = quota.FullName(),
                   .region = std::string(quota.name == kAllGpus ? kAllRegions : region)};
    // Cloud Quotas does not report the usage.
    const bool knows_usage = nodes && quota.IsOfRegion();
    need.needed = ChipsOf(pool, knows_usage ? CountOf(*nodes, PoolName(pool)) : 0);
    if (need.needed == 0) return;
    const auto same = std::ranges::find(needs, need.name, &QuotaNeed::name);
    if (same != needs.end()) {
      same->needed += need.needed;
      return;
    }
    if (nodes) need.available = available(quota, need);
    needs.push_back(std::move(need));
  };
  for (NodePoolSpec pool : spec.pools) {
    const std::size_t before = needs.size();
    for (const Quota& quota : QuotasOf(pool)) add(pool, quota);
    // Flex-start uses the other quota if that of Spot nodes is too small.
    if (!pool.flex_start || needs.size() == before || HasEnough(needs.back())) continue;
    needs.pop_back();
    pool.flex_start = false;
    for (const Quota& quota : QuotasOf(pool)) add(pool, quota);
  }
  return needs;
}

bool HasEnough(const QuotaNeed& need) { return !need.available || *need.available >= need.needed; }

}  // namespace kinetic::provision
