#pragma once

#include "kinetic/result.h"

#include "bundle/gc/content_lease.h"
#include "job/bundle/job_bundle.h"
#include "job/context.h"
#include "job/environment/job_environment.h"
#include "job/environment/make.h"
#include "local/runtime.h"
#include "record/job_record.h"

#include <chrono>
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
  /// How long an inspection waits for a cluster. A submission outlasts the restart of an API
  /// server.
  std::chrono::milliseconds inspection_time{10'000};
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
  /// The local files that were stored: backend::Launch::sources.
  std::map<std::string, local::StoredSource> sources;
  JobEnvironment environment;
  std::optional<record::GitState> git;
  std::vector<record::ClientPhase> phases;   ///< of the preparation, for the record
  std::optional<std::string> record_before;  ///< of the job that already has the chosen ID
  /// The job that is repeated; absent for a job from files. Its environment is used as recorded.
  std::optional<record::Record> original;
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

/// Returns the secrets that a job requests, by name, from the caller's environment.
///
/// @param names  exact names, and wildcards such as "WANDB_*". A wildcard may match nothing.
/// @param job_env  the variables that the job sets under `env`. Wildcards match neither these nor
///          names that belong to a machine (PATH, LD_*, KINETIC_*; jobspec::BelongsToMachine).
/// @errors       kInvalidArgument: all exact names that are not set; a value that is not UTF-8.
Result<std::map<std::string, std::string>> CollectSecrets(
    const std::vector<std::string>& names, const std::map<std::string, std::string>& environment,
    const std::map<std::string, std::string>& job_env = {});

/// Returns warnings about secrets that are too short to be masked in a log, about those whose value
/// is also in the spec, which is stored and shown, and about patterns that match nothing.
///
/// @param secrets  from CollectSecrets, for spec.secrets.
std::vector<std::string> SecretWarnings(const JobSpec& spec,
                                        const std::map<std::string, std::string>& secrets);

}  // namespace kinetic::job
