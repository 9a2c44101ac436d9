#pragma once

#include "kinetic/job.h"

#include "record/record.h"
#include "store/store.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

/// The index of jobs: index/{inverted time}-{id}, empty objects with the summary in their metadata,
/// so that one listing shows all jobs, newest first.
namespace kinetic::record {

/// What a record alone says of a job: nothing yet of how it goes.
JobSummary SummaryOf(const Record& record);

/// Makes the entry of a job that is new: WriteIndex in one request, where there is none.
Status CreateIndex(store::Store& store, const JobSummary& summary, std::stop_token stop);

/// Makes the entry of a job, or replaces it with what is known now. `created` and `id` decide its
/// name and never change.
Status WriteIndex(store::Store& store, const JobSummary& summary, std::stop_token stop);

/// Passes the entries to `each`, newest first, until it returns false. An entry that cannot be read
/// (written by something else) is passed over.
Status ListIndex(store::Store& store, const std::function<Result<bool>(const JobSummary&)>& each,
                 std::stop_token stop);

/// The newest `limit` entries (0: all).
Result<std::vector<JobSummary>> NewestJobs(store::Store& store, std::size_t limit,
                                           std::stop_token stop);

/// Removes the entry of a job, if there is one.
Status RemoveIndex(store::Store& store, WallTime created, std::string_view id,
                   std::stop_token stop);

/// A summary as metadata (at most 4 KiB: `reason` is cut to fit), and back; nothing when it is
/// none.
store::Metadata ToMetadata(const JobSummary& summary);
std::optional<JobSummary> SummaryFromMetadata(const store::Metadata& metadata);

}  // namespace kinetic::record
