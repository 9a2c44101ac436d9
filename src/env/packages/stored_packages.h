#pragma once

#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "bundle/format/tree.h"
#include "bundle/gc/content_lease.h"
#include "bundle/write/bundle_writer.h"
#include "env/environment_builder.h"
#include "env/lock.h"
#include "env/tool_options.h"
#include "record/packages/objects.h"
#include "store/object_store.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::env {

/// Maximum number of concurrent reads from a store.
inline constexpr std::size_t kConcurrentReads = 16;

/// Where and how packages are stored.
struct PackageStore {
  ToolOptions tools;
  PrivateUrls private_urls;
  store::Store& store;
  bundle::ContentLease& lease;  ///< on the same store
  std::string prefix;           ///< folder of the environment where jobs run
};

struct PackageTrees {
  std::vector<bundle::Tree> trees;  ///< in the order of Lock::packages
  std::size_t installed = 0;        ///< number of packages that were not stored
  std::uint64_t stored_bytes = 0;
};

/// Stores all files of a folder, without ignore rules.
Result<bundle::WriteReport> StoreFolder(const ToolOptions& tools, store::Store& store,
                                        bundle::ContentLease& lease, const Path& folder,
                                        const std::stop_token& stop);

/// Returns the record of a package's tree.
record::StoredPackage DescribeTree(std::string name, const bundle::Tree& tree);

/// Returns the trees of a lock's packages. Packages that are not stored are installed on this
/// machine, several at a time, each in a separate folder, and stored. Concurrent calls store equal
/// objects.
///
/// @param observer  informed of each stored package; may be null.
/// @errors  kFailedPrecondition (the installer failed: its last lines, and the path of its log;
///          no wheel for the platform) · kUnavailable (the index) · kAborted (garbage collection
///          removed stored content) · those of Store.
Result<PackageTrees> ObtainPackageTrees(const Lock& lock, const PackageStore& packages,
                                        Observer* observer, std::stop_token stop);

struct ArchivesOptions {
  ToolOptions tools;
  PrivateUrls private_urls;  ///< Manifest::private_urls
  store::Store& store;
  std::string prefix;  ///< folder of the environment where jobs run
};

/// Returns the names of the objects that describe a lock's packages: one for each package, and one
/// for their union.
std::vector<std::string> ArchiveObjects(const Lock& lock, const std::string& prefix);

/// Returns a builder that stores environments for jobs on other machines: a tree for each package
/// and one for each environment, which share their packs. If one package changes, only its content
/// is uploaded again. Jobs unpack ReadyEnvironment::tree as `prefix`, where it becomes a
/// virtual environment of the Python found there.
///
/// `options.store` must outlive the builder.
std::unique_ptr<EnvironmentBuilder> MakeArchivesBuilder(ArchivesOptions options);

}  // namespace kinetic::env
