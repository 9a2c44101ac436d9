#pragma once

#include "kinetic/result.h"

#include "bundle/gc/content_lease.h"
#include "job/bundle/job_bundle.h"
#include "job/context.h"
#include "job/environment/job_environment.h"
#include "job/environment/make.h"
#include "record/job_record.h"

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::job {

struct PrepareOptions {
  bool send = false;  ///< store the bundle, resolve and build; false: only inspect
  std::string id;     ///< chosen for the job to submit; empty: none
  LockRequest lock;   ///< its observer receives all events
};

/// A job with everything that it needs except an ID.
struct PreparedJob {
  JobSpec spec;  ///< path arguments as the job sees them
  std::vector<std::string> not_applied;
  std::map<std::string, std::string> secrets;
  bundle::Root root;
  std::optional<LocalFiles> files;
  Digest tree;
  std::map<std::string, record::DataTree> data;
  std::map<std::string, record::ListedData> listed_data;
  std::vector<std::string> listings;  ///< the documents that `listed_data` names
  JobEnvironment environment;
  std::optional<record::GitState> git;
  std::optional<std::string> record_before;  ///< of the job that already has the chosen ID
  /// On the stored content; absent if nothing was stored.
  std::unique_ptr<bundle::ContentLease> lease;
};

/// Returns the keys of `spec` that have no effect on the target.
/// @errors  kUnimplemented: keys that the target does not support, one per line, with their
///          locations.
Result<std::vector<std::string>> CheckLimitations(const backend::Target& target,
                                                  const JobSpec& spec, Observer* observer);

/// Packages the code, builds the environment and gathers the other parts, concurrently. Validates
/// the job before anything is stored.
Result<PreparedJob> PrepareJob(Context& context, const JobSpec& spec, const PrepareOptions& options,
                               std::stop_token stop);

/// A record and the objects that belong to it.
struct JobObjects {
  record::Record record;
  std::string arguments;              ///< the arguments document
  std::vector<std::string> listings;  ///< the documents of `data:` sources in buckets
};

/// Builds the record of a prepared job, with a new nonce. Uses `id`, or a new ID if it is empty.
Result<JobObjects> BuildRecord(const Context& context, const PreparedJob& prepared,
                               const std::string& id);

/// Returns whether a job's record, its index entry and the job itself may be written concurrently.
/// This requires that all other objects exist, that the ID is unique, and that the runner waits for
/// the record.
bool CanSubmitConcurrently(const Context& context, const PreparedJob& prepared,
                           const JobObjects& objects, const std::string& chosen_id);

/// Writes the record, the index entry and the job concurrently, and removes what was written if a
/// request fails. If the client is killed in between, the job runs and is listed, or ends because
/// its record is missing, or does not exist.
Status SubmitConcurrently(Context& context, const PreparedJob& prepared,
                          const record::Record& record, const std::stop_token& stop);

/// Removes one object of a job, even after a stop request. A missing object is not an error.
/// @errors  errors of Store.
Status RemoveObject(store::Store& store, const std::string& name);

/// Removes what is written before a record: arguments, listings and the index entry. Best effort,
/// even after a stop request. Failures are logged. Readers ignore the remaining objects, and
/// garbage collection removes them.
void RemoveStagedObjects(Context& context, const record::Record& record);

}  // namespace kinetic::job
