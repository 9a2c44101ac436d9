#pragma once

#include "kinetic/client.h"
#include "kinetic/result.h"

#include "job/cluster_contexts.h"
#include "job/context.h"

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Checks that `id` is a valid job ID: 1 to 50 characters of a-z, 0-9 and '-', without '-' at
/// either end. IDs are part of object names, file names and cluster resource names.
///
/// @errors  kInvalidArgument.
Status CheckJobId(std::string_view id);

/// Finds a job in the index: by its ID, as `latest`, by its name (the newest job of the caller with
/// this name), or by a unique prefix of its ID, in this order. Finds a job without an index entry
/// by its whole ID. The ID of a task finds the task.
///
/// @errors  kInvalidArgument (not an ID, or several jobs match; the error names them) · kNotFound.
Result<JobSummary> FindJob(Context& context, std::string_view word, std::stop_token stop);

/// A job that a word selects, and how many jobs of the caller have the word as their name.
struct NamedJob {
  JobSummary job;
  std::uint64_t same_name = 1;  ///< 1 if the word is not a name
};

/// Same as FindJob.
Result<NamedJob> FindNamedJob(Context& context, std::string_view word, std::stop_token stop);

/// Removes duplicate index entries of a job and keeps the entry that matches its record. Duplicates
/// come from submissions that were interrupted before they wrote the record and were then repeated.
Status RemoveDuplicateEntries(Context& context, std::vector<JobSummary>& jobs,
                              const std::stop_token& stop);

/// Returns the record of the newest job with this name, or nullopt if there is none.
Result<std::optional<record::Record>> FindNewestJob(Context& context, std::string_view name,
                                                    std::stop_token stop);

/// Removes the objects of a job that has ended, and its state on the target. Outputs are kept.
/// @errors  kFailedPrecondition: the job is active · kDataLoss: its result is damaged.
Status RemoveJob(Context& context, const JobSummary& job, std::stop_token stop);

/// Removes the objects of a job without checks: everything below its folder, its checkpoints, and
/// then its index entries.
Status RemoveStoredJob(Context& context, const JobSummary& job, std::stop_token stop);

/// Same, for a job in any state: cancels it first. If that is not possible, because the job is on
/// another machine or its objects are damaged, warns `observer` (may be null) and removes the
/// objects anyway. A supervisor of a removed job stores nothing.
/// @errors  kFailedPrecondition: the job runs here and does not end.
Status ForceRemoveJob(Context& context, const JobSummary& job, Observer* observer,
                      std::stop_token stop);

/// Returns a summary for a job of which only damaged objects are left, or nullopt if the store has
/// no objects of it.
Result<std::optional<JobSummary>> FindRemains(Context& context, std::string_view id,
                                              const std::stop_token& stop);

/// Lists jobs with their current states, newest first. The states of a cluster's jobs take one
/// request. Clusters other than the client's own are queried concurrently, for a few seconds. If a
/// cluster does not respond, its jobs have their last known states, and a warning is reported.
Result<std::vector<JobSummary>> ListJobs(ClusterContexts& clusters, const ListOptions& options,
                                         std::stop_token stop);

}  // namespace kinetic::job
