#pragma once

#include "kinetic/cluster_spec.h"
#include "kinetic/result.h"

#include "google/api/client.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::provision {

/// Returns the zones for a cluster that does not specify one: that of the cluster if it exists, else
/// those of spec.locations, or one that has the accelerators of all pools. If the bucket exists,
/// zones in its region are preferred.
Result<std::vector<std::string>> FindZones(const google::ApiClient& api, const ClusterSpec& spec,
                                           const std::string& bucket, std::stop_token stop);

/// Returns the locations of the clusters of spec.name in the project, the oldest cluster first. Two
/// `kinetic up` at the same time can create several.
///
/// @errors  those of ApiClient::ForEachPage: a zone that does not respond may have one.
/// @source  https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters/list
Result<std::vector<std::string>> FindNamedClusters(const google::ApiClient& api,
                                                   const ClusterSpec& spec,
                                                   const std::stop_token& stop);

/// Returns the command that deletes the cluster of a spec in a location.
std::string DownCommand(const ClusterSpec& spec, const std::string& location);

/// Returns the hint for a cluster that does not exist.
std::string CreationHint(const ClusterSpec& spec);

/// The detail of CheckOtherLocations' error with the other location.
inline constexpr std::string_view kOtherLocation = "cluster_location";

/// Checks that the cluster of spec.name does not exist in another location than spec.location. Both
/// would share the bucket and the service account, which are named after the cluster.
///
/// @errors  kFailedPrecondition, with the detail kOtherLocation · those of ApiClient.
Status CheckOtherLocations(const google::ApiClient& api, const ClusterSpec& spec,
                           const std::stop_token& stop);

/// Returns the first zone that has the machine types of all pools and enough quota, or without such
/// a zone, the first one that has the machine types.
///
/// @param how       what to do with the zones of the hint: "choose one with --location".
/// @param warnings  receives one if the zone may lack a TPU.
/// @errors  kInvalidArgument: no zone has the machine types; the hint lists zones that have one ·
///          those of ApiClient.
Result<std::string> FirstFittingZone(const google::ApiClient& api, const ClusterSpec& spec,
                                     const std::vector<std::string>& zones, std::string_view how,
                                     std::vector<std::string>& warnings, std::stop_token stop);

/// Returns all zones that have a machine type.
Result<std::vector<std::string>> ZonesOf(const google::ApiClient& api, const std::string& project,
                                         const std::string& machine, std::stop_token stop);

/// Returns advice to use one of some zones, those of `region` first.
std::string ZoneHint(std::vector<std::string> zones, std::string_view region);

}  // namespace kinetic::provision
