#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"
#include "kube/client.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// Which Secrets are checked.
struct OrphanQuery {
  std::string_view name_space;
  std::string_view store;  ///< Secrets of other stores are ignored
  WallTime now;
  bool dry_run = false;  ///< deletes nothing
};

/// Implements Target::RemoveOrphans: deletes Secrets without a Job, whose client was killed
/// before the Job owned them. Secrets younger than an hour are kept, because their Jobs may still
/// be created.
///
/// @errors  kPermissionDenied: no permission to list or delete Secrets · those of kube::Client.
Result<std::vector<std::string>> RemoveOrphanedSecrets(const kube::Client& client,
                                                       const OrphanQuery& query,
                                                       std::stop_token stop);

}  // namespace kinetic::backend
