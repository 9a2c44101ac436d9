#pragma once

#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "env/dependencies/manifest.h"
#include "env/install/tool_options.h"
#include "env/resolve/lock.h"
#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::env {

/// What somebody with a Python is to make for somebody who has none. Nothing in it is secret.
struct PackagesOrder {
  Manifest manifest;         ///< for a pod; what its key is made of counts, and no more
  std::optional<Lock> lock;  ///< present: nothing is resolved
  std::string base_digest;   ///< Lock::base_image of one that is resolved
  bool renew = false;        ///< resolves although there is a lock
  /// Folder of the environment where jobs run; empty: the lock is all that is wanted.
  std::string prefix;
};

std::string ToJson(const PackagesOrder& order);

/// @errors  kDataLoss: no order, or of another version of kinetic, which would make other packages
///          of it.
Result<PackagesOrder> PackagesOrderFromJson(std::string_view json);

/// Resolves what is not resolved and stores what is not stored, as whoever gave the order would
/// have done: the lock under its key, each package, and the tree of all of them.
///
/// @param private_urls  Manifest::private_urls of whoever gave it.
/// @errors  those of ObtainLock and of the archives builder.
Status CarryOut(PackagesOrder order, PrivateUrls private_urls, store::Store& store,
                const ToolOptions& tools, Observer* observer, std::stop_token stop);

}  // namespace kinetic::env
