#pragma once

#include "bundle/gc/content_lease.h"
#include "bundle/source/root.h"
#include "bundle/source/walk.h"
#include "bundle/write/bundle_writer.h"
#include "bundle/write/stat_cache.h"
#include "job/context.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Cache folder for file metadata and digests of each bundle root.
inline constexpr std::string_view kStatCacheFolder = "stat";
/// Cache folder for tree objects of bucket stores.
inline constexpr std::string_view kTreeCacheFolder = "trees";

/// Files of a bundle or of a `data:` source on this machine, with their cached metadata.
struct LocalFiles {
  bundle::SourceTree source;
  bundle::StatCache cache;
  Path cache_file;
};

/// Returns the folder whose content is uploaded.
Result<bundle::Root> FindBundleRoot(const Context& context, const JobSpec& spec);

/// Returns the folder that the job runs in, relative to the bundle's root: the job's `workdir`, or
/// the folder of the bundle that corresponds to the job's folder. Returns "." for the root, also if
/// the job's folder is outside the bundle.
///
/// @errors  kInvalidArgument: the path is not UTF-8, which records require.
Result<std::string> ResolveWorkdir(const JobSpec& spec, const Path& root);

/// Lists the files under `root` that are uploaded.
Result<LocalFiles> WalkBundle(const Context& context, const JobSpec& spec, const bundle::Root& root,
                              std::stop_token stop);

/// Lists all files of a `data:` source. Ignore rules do not apply. A single file is a list with
/// one entry.
///
/// @param follow_links  replace links out of a folder by what they point to.
/// @errors  kNotFound · kInvalidArgument (neither a file nor a folder) · errors of Walk.
Result<LocalFiles> WalkData(const Context& context, const Path& source, bool follow_links,
                            std::stop_token stop);

/// Computes the digest of the tree. Stores nothing.
Result<Digest> HashFiles(const Context& context, LocalFiles& files, std::stop_token stop);

/// Creates the lease on the content that one submission uses. Trees are held until
/// ContentLease::PutDeferredTrees, so that they are sent together with the other objects that
/// precede the record. Trees of a bucket store are cached.
std::unique_ptr<bundle::ContentLease> MakeSubmissionLease(Context& context);

/// Stores the files unless the store already has them. `lease` stores their tree.
///
/// @param observer  receives the progress in bytes read and packed.
Result<bundle::WriteReport> StoreFiles(Context& context, bundle::ContentLease& lease,
                                       LocalFiles& files, Observer& observer, std::stop_token stop);

/// The size of a tree.
struct Size {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};
Size SizeOf(const bundle::SourceTree& source);

/// Returns text such as "42 files, 1.2 MiB".
std::string DescribeSize(const bundle::SourceTree& source);

/// Lists the files that a submission would upload.
Result<BundleListing> ListBundle(Context& context, const JobSpec& spec, std::stop_token stop);

/// Compares the bundle with the bundle of job `since` (an ID; empty: the newest job of that name).
/// @errors  kNotFound: no such job.
Result<BundleDifference> CompareBundle(Context& context, const JobSpec& spec,
                                       std::string_view since, std::stop_token stop);

/// Cache folder with the large files that each project was warned about.
inline constexpr std::string_view kLargeFilesFolder = "large-files";

/// Returns a warning that names the five largest files of a bundle above 50 MiB. Returns nullopt if
/// the project has none, or was warned about all of them before.
///
/// @param remember  do not warn about these files again.
std::optional<std::string> LargeFilesWarning(const Context& context,
                                             const bundle::SourceTree& source, bool remember);

/// Cache folder with the warnings that each project has had.
inline constexpr std::string_view kBundleWarningsFolder = "bundle-warnings";

/// Returns the warnings of a bundle that its project has not had before. The warning of an empty
/// bundle is always new.
///
/// @param remember  do not return these warnings again.
std::vector<std::string> NewWarnings(const Context& context, const bundle::SourceTree& source,
                                     bool remember);

}  // namespace kinetic::job
