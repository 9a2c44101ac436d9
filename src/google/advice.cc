#include "google/advice.h"

#include "base/strings.h"

#include <algorithm>
#include <array>
#include <span>

namespace kinetic::google {
namespace {

bool ContainsAny(std::string_view text, std::span<const std::string_view> needles) {
  return std::ranges::any_of(needles, [&](std::string_view needle) {
    return text.find(needle) != std::string_view::npos;
  });
}

}  // namespace

bool IsStockOut(std::string_view message) {
  constexpr std::array<std::string_view, 5> kWords{
      "STOCKOUT", "RESOURCE_POOL_EXHAUSTED", "does not have enough resources",
      "is currently unavailable in the", "no more capacity"};
  return ContainsAny(message, kWords);
}

bool LacksQuota(std::string_view message) {
  constexpr std::array<std::string_view, 4> kWords{"quota_exceeded", "quota exceeded",
                                                   "insufficient regional quota", "quota '"};
  return ContainsAny(ToLower(message), kWords);
}

bool MustActAs(std::string_view message) {
  constexpr std::array<std::string_view, 3> kWords{"act as", "actAs",
                                                   "does not have access to service account"};
  return ContainsAny(message, kWords);
}

std::string AdviceFor(std::string_view message) {
  constexpr std::array<std::string_view, 4> kAddresses{
      "does not have available private IP space", "Invalid IPCidrRange",
      "conflicts with existing subnetwork", "IP_SPACE_EXHAUSTED"};
  if (IsStockOut(message))
    return "the zone has no capacity: try again later, or run 'kinetic down' and use another zone "
           "with --location";
  if (LacksQuota(message))
    return "request quota: https://console.cloud.google.com/iam-admin/quotas";
  if (ContainsAny(message, kAddresses)) {
    return "the address ranges overlap: use another network with --network, or delete a subnet "
           "that is no longer used";
  }
  if (message.starts_with("Project '") && message.find("is not active") != std::string_view::npos)
    return "the project is being deleted: restore it, or use another one with --project";
  if (message.find("resourceLocations") != std::string_view::npos)
    return "an organization policy restricts the locations: use another zone with --location";
  if (message.find("vmExternalIpAccess") != std::string_view::npos)
    return "an organization policy forbids external addresses: set 'private_nodes: true' in "
           "kinetic.yaml";
  if (const std::size_t at = message.find("constraints/"); at != std::string_view::npos)
    return "ask an administrator of your organization for an exception to " +
           Printable(message.substr(at, message.find_first_of(" '\",;", at) - at));
  if (ToLower(message).find("network \"default\"") != std::string::npos)
    return "the project has no network 'default': use another one with --network, or create it: "
           "gcloud compute networks create default";
  return "";
}

}  // namespace kinetic::google
