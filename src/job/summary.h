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

/// What the target tells of a job; nothing: it does not know it. A cluster that is not the job's
/// own is asked what it has, and is not made to bring the job on.
Result<std::optional<target::Observation>> Observe(Context& context, std::string_view id,
                                                   std::stop_token stop);

/// Why all that can be seen of a job from here is in the store, and what to do: it was submitted to
/// a target that this one is not, such as another machine's that shares the store, or to a cluster
/// that cannot be opened.
Result<std::optional<Error>> RunsElsewhere(Context& context, std::string_view id,
                                           std::stop_token stop);

/// What is known of a job now: from its result, else from the target; of one whose cluster cannot
/// be opened, what was known last, and why. A job that was given up before it was started is
/// settled.
///
/// @param known  an earlier summary; a terminal one is final.
Result<JobSummary> Refresh(Context& context, JobSummary known, std::stop_token stop);

/// What is known of a job of which the target has just told that it works on it.
JobSummary WithObservation(JobSummary known, const target::Observation& observed);

/// What was known of a job of which nobody can be asked now.
JobSummary AsLastSeen(JobSummary known, const Error& why);

/// What is known of a job of which the target shows that it has ended: from its result, or that
/// there is none yet.
Result<JobSummary> AfterEnd(Context& context, JobSummary known, const target::Observation& observed,
                            std::stop_token stop);

/// Writes what the result says into the index, when the job has one.
Status RefreshIndex(Context& context, std::string_view id, std::stop_token stop);

}  // namespace kinetic::job
