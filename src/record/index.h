#pragma once

#include "kinetic/job.h"

#include "record/job_record.h"
#include "store/object_store.h"

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// The index of jobs: empty objects index/{inverted time}-{id} with the summary in their metadata,
/// so that one listing returns all jobs, the newest first. The end of a job is a second object,
/// because Cloud Storage rejects a second change of an object within a second.
///
/// Tasks have no entries: the functions that write one do nothing for the ID of a task.
namespace kinetic::record {

/// Returns the summary of a new job, which has no state yet.
JobSummary SummaryOf(const Record& record);

/// Creates the entry of a new job in one request. Calls WriteIndex if an entry exists.
///
/// @param is_durable  as in store::PutOptions.
Status CreateIndex(store::Store& store, const JobSummary& summary, std::stop_token stop,
                   bool is_durable = true);

/// Replaces the entry of an active job, or creates or replaces the entry of an ended one, unless
/// the entry has more progress. The entry of an active job is not created again: the job was
/// removed. The entry's name is derived from `created`, `id` and whether the job has ended.
Status WriteIndex(store::Store& store, const JobSummary& summary, std::stop_token stop);

/// Creates the entry of a job's end, or leaves an existing one as it is. Takes one request.
///
/// @param summary  with the state from the job's result.
Status IndexEnd(store::Store& store, const JobSummary& summary, std::stop_token stop);

/// What a listing of the index shows of its objects.
struct IndexObjects {
  std::vector<store::ObjectInfo> damaged;
  /// When the newest entry of a job was written, by the store's clock: at its end, or before.
  std::map<std::string, WallTime, std::less<>> written;
};

/// Passes the entries to `each`, the newest first, until it returns false. For a damaged entry, or
/// one of another job, passes the summary of the record that it stands for. Skips it if there is
/// none.
/// @param objects  may be null.
Status ListIndex(store::Store& store, const std::function<Result<bool>(const JobSummary&)>& each,
                 std::stop_token stop, IndexObjects* objects = nullptr);

/// Returns the newest `limit` entries (0: all).
/// @param objects  as for ListIndex.
Result<std::vector<JobSummary>> NewestJobs(store::Store& store, std::size_t limit,
                                           std::stop_token stop, IndexObjects* objects = nullptr);

/// Returns whether the index lists the job as ended.
Result<bool> IsIndexedAsEnded(store::Store& store, WallTime created, std::string_view id,
                              std::stop_token stop);

/// Removes the entries of a job if they exist.
Status RemoveIndex(store::Store& store, WallTime created, std::string_view id,
                   std::stop_token stop);

/// Returns the ID in "index/{inverted time}-{id}", or an empty string for other names.
std::string_view IdOfIndexName(std::string_view name);

/// Returns nullopt if the metadata is not a summary.
std::optional<JobSummary> SummaryFromMetadata(const store::Metadata& metadata);

}  // namespace kinetic::record
