#pragma once

#include "bundle/lease.h"
#include "bundle/root.h"
#include "bundle/source_tree.h"
#include "bundle/stat_cache.h"
#include "bundle/write.h"
#include "job/context.h"

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// In the cache: what is known of the files of each bundle root.
inline constexpr std::string_view kStatCacheFolder = "stat";
/// In the cache: tree objects of stores in buckets.
inline constexpr std::string_view kTreeCacheFolder = "trees";

/// The code of a job as it lies on this machine, with what is remembered of it.
struct Package {
  bundle::SourceTree source;
  bundle::StatCache cache;
};

/// The folder whose content travels.
Result<bundle::Root> FindPackageRoot(const Context& context, const JobSpec& spec);

/// Lists what travels from `root`.
Result<Package> WalkPackage(const Context& context, const JobSpec& spec, const bundle::Root& root,
                            std::stop_token stop);

/// Lists what travels of a `data:` source: all of it, without ignore rules. A file is a package of
/// one entry.
///
/// @errors  kNotFound · kInvalidArgument (neither a file nor a folder) · those of Walk.
Result<Package> WalkData(const Context& context, const Path& source, std::stop_token stop);

/// The digest that the package has; stores nothing.
Result<Digest> IdentifyPackage(const Context& context, Package& package, std::stop_token stop);

/// What one submission relies on. Its trees are held until ContentLease::PutHeldTrees, so that they
/// are sent with what else goes before the record; of a store in a bucket they are remembered.
std::unique_ptr<bundle::ContentLease> LeaseForSubmission(Context& context);

/// Stores the package, or finds it stored; its tree as `lease` does it.
///
/// @param observer  told of bytes as they are read and packed.
Result<bundle::WriteReport> StorePackage(Context& context, bundle::ContentLease& lease,
                                         Package& package, Observer& observer,
                                         std::stop_token stop);

/// How much a tree holds.
struct Size {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};
Size SizeOf(const bundle::SourceTree& source);

/// "42 files, 1.2 MiB".
std::string DescribeSize(const bundle::SourceTree& source);

}  // namespace kinetic::job
