#include "base/strings.h"
#include "provision/plan.h"
#include "provision/problems.h"
#include "provision/resources/all.h"
#include "provision/scope.h"
#include "provision/shutdown/objects.h"
#include "provision/user.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::provision {
namespace {

/// Service accounts are named after the cluster and have at most 30 characters.
constexpr std::size_t kLongestNewName = 24;
/// GKE's limit.
constexpr std::size_t kLongestName = 40;
constexpr std::size_t kLongestPoolName = 40;
constexpr std::chrono::days kLongestTime{365};
constexpr std::chrono::minutes kShortestIdleTime{1};
constexpr std::chrono::hours kLongestIdleTime{24};

bool IsDnsLabel(std::string_view name, std::size_t limit) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.size() <= limit && std::ranges::all_of(name, allowed) &&
         name.front() >= 'a' && name.front() <= 'z' && name.back() != '-';
}

Status CheckName(const std::string& name, std::size_t limit) {
  if (IsDnsLabel(name, limit)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "cluster name '" + Printable(name) + "': expected 1–" + std::to_string(limit) +
                  " lowercase letters, digits or '-', starting with a letter");
}

/// Zones have a third part that ends with a letter: "us-west4-a", "us-south1-ai1b".
bool IsZone(std::string_view location) {
  return IsDnsLabel(location, kLongestName) && std::ranges::count(location, '-') == 2 &&
         std::islower(static_cast<unsigned char>(location.back())) != 0;
}

Status CheckZoneName(const std::string& location) {
  if (IsZone(location) && IsAiZone(location))
    return Fail(ErrorCode::kInvalidArgument,
                "location '" + location + "': AI zones have only accelerator node pools",
                "use another zone of " + RegionOf(location));
  if (location.empty() || IsZone(location)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "location '" + location + "': expected a zone, for example us-west4-a",
              "regional clusters cost more and cannot start accelerators sooner");
}

Status CheckPool(const NodePoolSpec& pool) {
  const std::string name = PoolName(pool);
  if (!IsDnsLabel(name, kLongestPoolName))
    return Fail(ErrorCode::kInvalidArgument,
                "node pool name '" + name +
                    "': expected 1–40 lowercase letters, digits or '-', starting with a letter");
  if (name == kSystemPool)
    return Fail(ErrorCode::kInvalidArgument,
                "the node pool '" + name + "' is reserved for the system's pods",
                "choose another name");
  if (pool.idle_time && (*pool.idle_time < kShortestIdleTime || *pool.idle_time > kLongestIdleTime))
    return Fail(ErrorCode::kInvalidArgument, "node pool " + name + ": idle_time: expected from " +
                                                 FormatDuration(kShortestIdleTime) + " to " +
                                                 FormatDuration(kLongestIdleTime) + ", found " +
                                                 FormatDuration(*pool.idle_time));
  const int kinds = static_cast<int>(pool.spot) + static_cast<int>(pool.flex_start) +
                    static_cast<int>(!pool.reservation.empty());
  if (kinds <= 1) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "node pool " + name + ": spot, flex_start and reservation exclude each other",
              "keep one of them");
}

Status CheckPools(const ClusterSpec& spec) {
  std::set<std::string> names;
  Problems problems;
  for (const NodePoolSpec& pool : spec.pools) {
    problems.Add(CheckPool(pool));
    const std::string name = PoolName(pool);
    if (!names.insert(name).second)
      problems.Add(Fail(ErrorCode::kInvalidArgument, "two node pools are named '" + name + "'",
                        "rename one of them"));
  }
  return problems.Finish();
}

Status CheckProject(const std::string& project) {
  if (project.empty())
    return Fail(ErrorCode::kInvalidArgument, "no Google Cloud project is set",
                "use --project PROJECT, or set project in kinetic.yaml");
  if (project.find_first_not_of("0123456789") != std::string::npos) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "expected the ID of a project, such as my-project, found the number " + project,
              "list your projects: gcloud projects list");
}

/// The policy is checked every few minutes.
Status CheckShutdown(const ClusterSpec& spec) {
  for (const auto& [name, time] :
       {std::pair{"ttl", spec.ttl}, std::pair{"down_when_idle", spec.down_when_idle}}) {
    if (!time || time->count() == 0) continue;
    if (*time >= 2 * kShutdownInterval && *time <= kLongestTime) continue;
    return Fail(ErrorCode::kInvalidArgument, std::string(name) + ": expected from " +
                                                 FormatDuration(2 * kShutdownInterval) + " to " +
                                                 FormatDuration(kLongestTime) +
                                                 ", or none, found " + FormatDuration(*time));
  }
  return {};
}

}  // namespace

Status CheckSpec(const ClusterSpec& spec) {
  Problems problems;
  problems.Add(CheckProject(spec.project));
  problems.Add(CheckName(spec.name, kLongestName));
  problems.Add(CheckShutdown(spec));
  problems.Add(CheckUsers(spec.name, spec.users));
  problems.Add(CheckPools(spec));
  return problems.Finish();
}

Status CheckNewPools(const std::vector<NodePoolSpec>& pools) {
  for (const NodePoolSpec& pool : pools) {
    const Accelerator& accelerator = pool.accelerator;
    if (accelerator.hosts == 1) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "node pool " + PoolName(pool) + ": no job can use " + accelerator.name +
                    ", a slice of " + std::to_string(accelerator.hosts) + " machines",
                "use an accelerator of one machine: kinetic accelerators");
  }
  return {};
}

Status CheckNewCluster(const ClusterSpec& spec) {
  Problems problems;
  problems.Add(CheckSpec(spec));
  if (IsDnsLabel(spec.name, kLongestName)) problems.Add(CheckName(spec.name, kLongestNewName));
  problems.Add(CheckZoneName(spec.location));
  for (const std::string& zone : spec.locations) problems.Add(CheckZoneName(zone));
  return problems.Finish();
}

}  // namespace kinetic::provision
