#include "kinetic/try.h"

#include "base/strings.h"
#include "provision/plan.h"
#include "provision/resources/all.h"
#include "provision/resources/pool_difference.h"
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

/// Zones end with a letter: "us-west4-a".
bool IsZone(std::string_view location) {
  const std::size_t dash = location.rfind('-');
  return dash != std::string_view::npos && dash + 2 == location.size() &&
         location.find('-') != dash && std::islower(static_cast<unsigned char>(location.back()));
}

Status CheckZoneName(const std::string& location) {
  if (location.empty() || IsZone(location)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "location '" + location + "': expected a zone, for example us-west4-a",
              "regional clusters cost more and cannot start accelerators sooner");
}

Status CheckPools(const ClusterSpec& spec) {
  std::set<std::string> names;
  for (const NodePoolSpec& pool : spec.pools) {
    const std::string name = PoolName(pool);
    if (!IsDnsLabel(name, kLongestPoolName))
      return Fail(ErrorCode::kInvalidArgument,
                  "node pool name '" + name +
                      "': expected 1–40 lowercase letters, digits or '-', starting with a letter");
    if (name == kSystemPool)
      return Fail(ErrorCode::kInvalidArgument,
                  "the node pool '" + name + "' is reserved for the system's pods",
                  "choose another name");
    if (!names.insert(name).second)
      return Fail(ErrorCode::kInvalidArgument, "two node pools are named '" + name + "'",
                  "give one of them another name");
    if (IsMultiHost(pool) && pool.max_nodes != 0)
      KINETIC_RETURN_IF_ERROR(CheckSliceSize(name, pool.accelerator.hosts, pool.max_nodes));
    const int kinds = static_cast<int>(pool.spot) + static_cast<int>(pool.flex_start) +
                      static_cast<int>(!pool.reservation.empty());
    if (kinds > 1)
      return Fail(ErrorCode::kInvalidArgument,
                  "node pool " + name + ": spot, flex_start and reservation exclude each other",
                  "keep one of them");
  }
  return {};
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
  if (spec.project.empty())
    return Fail(ErrorCode::kInvalidArgument, "no Google Cloud project is set",
                "use --project PROJECT, or set project in kinetic.yaml");
  if (spec.project.find_first_not_of("0123456789") == std::string::npos)
    return Fail(
        ErrorCode::kInvalidArgument,
        "expected the ID of a project, such as my-project, found the number " + spec.project,
        "list your projects: gcloud projects list");
  KINETIC_RETURN_IF_ERROR(CheckName(spec.name, kLongestName));
  KINETIC_RETURN_IF_ERROR(CheckShutdown(spec));
  KINETIC_RETURN_IF_ERROR(CheckUsers(spec.name, spec.users));
  return CheckPools(spec);
}

Status CheckNewCluster(const ClusterSpec& spec) {
  KINETIC_RETURN_IF_ERROR(CheckName(spec.name, kLongestNewName));
  KINETIC_RETURN_IF_ERROR(CheckZoneName(spec.location));
  for (const std::string& zone : spec.locations) KINETIC_RETURN_IF_ERROR(CheckZoneName(zone));
  return {};
}

}  // namespace kinetic::provision
