#pragma once

#include "job/context.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// How long a client may take between writing a record and starting its job; a job that nobody
/// knows of after that was given up.
inline constexpr std::chrono::seconds kSubmissionTakes{60};

/// The record of a job; nothing when there is no such job.
/// @errors  kDataLoss · those of Store.
Result<std::optional<record::Record>> ReadRecord(store::Store& store, std::string_view id,
                                                 std::stop_token stop);

/// The identity of the target that a job was submitted to, when that is another one, such as
/// another machine's that shares the store: all that can be seen of it from here is in the store.
Result<std::optional<std::string>> RunsElsewhere(Context& context, std::string_view id,
                                                 std::stop_token stop);

/// What is known of a job now: from its result, else from the target. A job that was given up
/// before it was started is settled.
///
/// @param known  an earlier summary; a terminal one is final.
Result<JobSummary> Refresh(Context& context, JobSummary known, std::stop_token stop);

/// What is known of a job of which the target has just told that it works on it.
JobSummary WithObservation(JobSummary known, const target::Observation& observed);

/// Writes what the result says into the index, when the job has one.
Status RefreshIndex(Context& context, std::string_view id, std::stop_token stop);

}  // namespace kinetic::job
