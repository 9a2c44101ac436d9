#pragma once

#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "env/dependencies/manifest.h"
#include "env/lock.h"
#include "env/tool_options.h"
#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::env {

/// A request to build packages on another machine, which has a Python. Contains no secrets.
struct BuildRequest {
  Manifest manifest;         ///< for a pod; contains only inputs of its key
  std::optional<Lock> lock;  ///< absent: to be resolved
  std::string base_digest;   ///< Lock::base_image of the resolved lock
  bool renew = false;        ///< resolve even if a lock is stored
  /// Folder of the environment where jobs run; empty: only resolve.
  std::string prefix;
};

std::string ToJson(const BuildRequest& request);

/// @errors  kDataLoss: invalid, or of another version of kinetic, which would build other packages.
Result<BuildRequest> BuildRequestFromJson(std::string_view json);

/// Resolves and stores the lock, each package, and the tree of all packages, unless they are
/// stored.
///
/// @param private_urls  Manifest::private_urls of the client.
/// @errors  those of ObtainLock and of the archives builder.
Status Execute(BuildRequest request, PrivateUrls private_urls, store::Store& store,
               const ToolOptions& tools, Observer* observer, std::stop_token stop);

}  // namespace kinetic::env
