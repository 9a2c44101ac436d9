#pragma once

#include "kinetic/error.h"
#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "record/checkpoint.h"
#include "store/object_store.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

/// The trees that garbage collection keeps.
namespace kinetic::record {

/// The objects of a store that refer to content, except datasets.
struct Referrers {
  std::set<std::string, std::less<>> jobs;                         ///< ids of jobs with a record
  std::map<std::string, std::uint64_t, std::less<>> bytes_of_job;  ///< in the folder of each job
  std::vector<ListedCheckpoint> checkpoints;
  std::vector<store::ObjectInfo> packages;  ///< documents under packages/
  std::vector<store::ObjectInfo> copies;    ///< in the folders jobs/{id}/copies/
  std::vector<store::ObjectInfo> damaged;   ///< those that the store cannot read
  bool is_complete = true;                  ///< false: one of them HidesReferences
};

/// Returns whether a listed object is the damaged folder of all jobs, checkpoints, or datasets, or
/// a referrer that only another user can read. The content that it refers to is in use.
bool HidesReferences(const store::ObjectInfo& info);

/// Lists the referrers of a store in one round trip.
Result<Referrers> ListReferrers(store::Store& store, std::stop_token stop);

/// What the referrers and the datasets of a store refer to.
struct References {
  /// Of bundles, data, environments, checkpoints, and packages in use.
  std::set<Digest> trees;
  std::set<Digest> arrays;  ///< shared ones
  std::set<std::string> manifest_keys;
  std::set<std::string> environment_ids;
  std::set<std::string> environment_images;
  std::vector<Error> damaged;  ///< one for each damaged object, which refers to nothing
};

/// Reads the references of a store. Ignores packages whose lease is older than `package_age`, and
/// damaged ones, because these packages are installed again.
///
/// @errors  kFailedPrecondition: an object of a newer version, whose trees are unknown. The message
///          names it.
Result<References> ReadReferences(store::Store& store, const Referrers& referrers,
                                  std::chrono::hours package_age, std::stop_token stop);

}  // namespace kinetic::record
