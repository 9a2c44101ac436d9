#pragma once

#include "kinetic/result.h"

#include "env/dependencies/urls.h"
#include "env/lock.h"
#include "env/tool_options.h"
#include "store/object_store.h"

#include <stop_token>

namespace kinetic::env {

/// Wheels that are built on one machine and installed on others. The content of a wheel may differ
/// between builds, so each wheel is stored as packages/{key}, a tree with one file.

/// Returns the path of a built wheel in the cache folder, which is cleaned up like other temporary
/// files.
Path WheelFile(const ToolOptions& tools, const LockedPackage& package);

/// Stores the built wheels of a lock that the store lacks.
Status StoreWheels(const Lock& lock, store::Store& store, const ToolOptions& tools,
                   const std::stop_token& stop);

/// Fetches the built wheels of a lock that the cache folder lacks.
/// @errors  kNotFound: the store does not have a wheel either.
Status FetchWheels(const Lock& lock, store::Store& store, const ToolOptions& tools,
                   const std::stop_token& stop);

/// Renews the leases of the built wheels of a lock, so that garbage collection keeps them as long as
/// the lock is used.
Status RenewWheels(const Lock& lock, store::Store& store, const std::stop_token& stop);

/// Adds the URLs from which the built wheels of a lock are installed.
void AddWheelUrls(const Lock& lock, const ToolOptions& tools, PrivateUrls& urls);

}  // namespace kinetic::env
