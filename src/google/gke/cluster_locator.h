#pragma once

#include "kinetic/profile.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "http/transport.h"
#include "kube/kubeconfig/cluster_access.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::google {

inline constexpr const char* kContainerApi = "https://container.googleapis.com";

/// Where GKE's clusters were the last time, in a folder that nobody but its owner can look into:
/// one request less for each command.
///
/// @threads  safe to call concurrently, also from several processes.
class GkePlaces {
 public:
  /// Both outlive it. @param folder  made, 0700, when it is needed; empty: nothing is kept.
  GkePlaces(FileSystem& fs, Clock& clock, Path folder)
      : fs_(&fs), clock_(&clock), folder_(std::move(folder)) {}

  /// Nothing after half a day: addresses change seldom, and then the old ones are to be forgotten.
  std::optional<kube::ClusterAccess> Find(const ClusterProfile& profile) const;
  void Keep(const ClusterProfile& profile, const kube::ClusterAccess& access) const;
  void Forget(const ClusterProfile& profile) const;

 private:
  Path FileOf(const ClusterProfile& profile) const;

  FileSystem* fs_;
  Clock* clock_;
  Path folder_;
};

/// Asks Google where a cluster is.
///
/// @param   google  shows the caller's credential.
/// @param   api     kContainerApi, or what stands in for it.
/// @errors  kNotFound (those that are there are named) · kPermissionDenied · kUnauthenticated ·
///          kUnavailable · those of GkeAccess.
Result<kube::ClusterAccess> LocateGkeCluster(http::Transport& google, Clock& clock,
                                             const std::string& api, const ClusterProfile& profile,
                                             std::stop_token stop);

}  // namespace kinetic::google
