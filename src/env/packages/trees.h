#pragma once

#include "kinetic/observer.h"

#include "bundle/format/tree.h"
#include "bundle/gc/content_lease.h"
#include "env/install/tool_options.h"
#include "env/resolve/lock.h"
#include "env/resolve/upload_estimator.h"
#include "record/packages/stored_package.h"
#include "store/object_store.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::env {

/// Where packages are stored, and for which place.
struct PackageStore {
  ToolOptions tools;
  PrivateUrls private_urls;
  store::Store& store;
  bundle::ContentLease& lease;  ///< on the same store
  std::string prefix;           ///< folder of the environment where jobs run
  Uplink* uplink = nullptr;     ///< told of what is stored; null: however long it takes
};

struct PackageTrees {
  std::vector<bundle::Tree> trees;  ///< as Lock::packages
  std::size_t installed = 0;        ///< that were not in the store
  std::uint64_t stored_bytes = 0;
};

/// What is written down of a tree.
record::StoredPackage DescribeTree(std::string name, const bundle::Tree& tree);

/// The trees of all packages of a lock. One that is in the store is taken from there, whoever
/// stored it; the others are installed on this machine, each into a folder of its own, some at
/// once, and stored. Two clients that do so at once store the same.
///
/// @param observer  told of each package that is stored; may be null.
/// @errors  kFailedPrecondition (the installer failed: its last lines, and where its whole log is;
///          a package without a wheel for the platform) · kUnavailable (the index) · kAborted (what
///          was stored was collected meanwhile) · kDeadlineExceeded (`uplink` is too slow; what was
///          stored till then is found by whoever goes on) · those of Store.
Result<PackageTrees> ObtainPackageTrees(const Lock& lock, const PackageStore& packages,
                                        Observer* observer, std::stop_token stop);

/// Whether all packages of a lock are in the store, so that nothing has to be installed for it.
/// @errors  those of Store.
Result<bool> AreStored(const Lock& lock, const PackageStore& packages, std::stop_token stop);

}  // namespace kinetic::env
