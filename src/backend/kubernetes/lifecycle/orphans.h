#pragma once

#include "kube/client.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// Which Secrets are looked at.
struct LeftoverSearch {
  std::string_view name_space;
  std::string_view store;  ///< of others nothing is touched
  WallTime now;
  bool dry_run = false;  ///< nothing is removed
};

/// ClusterApi::RemoveOrphans: Secrets whose client died between making them and giving
/// them to their Jobs, where there is no such Job. Younger ones than an hour stay: their Jobs may
/// be on the way.
///
/// @errors  kPermissionDenied: these Secrets may not be listed, or not be removed · those of
///          kube::Client.
Result<std::vector<std::string>> RemoveLeftSecrets(const kube::Client& client,
                                                   const LeftoverSearch& search,
                                                   std::stop_token stop);

}  // namespace kinetic::backend
