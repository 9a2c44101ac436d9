#pragma once

#include "job/context.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// Maximum time between writing a record and starting its job, by the store's clock. A job that the
/// target does not know after this time was abandoned.
inline constexpr std::chrono::seconds kSubmissionTimeout{45};

/// Time between two checks of whether a job on another machine was lost.
inline constexpr std::chrono::seconds kLivenessCheck{30};

/// Returns the record of a job, or nullopt if there is no such job.
/// @errors  kDataLoss · errors of Store.
Result<std::optional<record::Record>> ReadRecord(store::Store& store, std::string_view id,
                                                 std::stop_token stop);

/// Returns the target's observation of a job, or nullopt if the target does not know it. On a
/// cluster other than the job's own, the query does not advance the job.
Result<std::optional<backend::Observation>> Observe(Context& context, std::string_view id,
                                                    std::stop_token stop);

/// Returns whether a supervisor on this machine works on the job, which thus has no result. Sends
/// no request.
bool IsActiveHere(Context& context, std::string_view id, const std::stop_token& stop);

/// Returns an error with a hint if the job can be observed only through the store: it was submitted
/// to another target, such as another machine that shares the store, or its cluster cannot be
/// opened.
Result<std::optional<Error>> WhyUnobservable(Context& context, std::string_view id,
                                             std::stop_token stop);

/// The current state of a job.
struct CurrentState {
  JobSummary summary;
  /// Why the store did not accept the results of a job that has ended. A later client stores them.
  std::optional<Error> not_stored;
  bool is_removed = false;  ///< it has no record
};

/// Returns the current state of a job, from its result or else from the target. If the job's
/// cluster cannot be opened, returns the last known summary and the reason. Reconciles a job that
/// was abandoned before it was started.
///
/// @param known  an earlier summary; a terminal one is final.
Result<CurrentState> RefreshState(Context& context, JobSummary known, std::stop_token stop);
/// Same, but returns only the summary, whose reason mentions results that are not stored.
Result<JobSummary> Refresh(Context& context, JobSummary known, std::stop_token stop);

/// Returns whether a runner has claimed the first attempt of a job, or of one of its tasks.
Result<bool> HasAttempt(Context& context, const std::string& id, std::stop_token stop);

/// The age of an object. kYoung if the store's clock cannot be read.
enum class ObjectAge : std::uint8_t { kAbsent, kYoung, kOld };

/// Returns whether an object is absent, was written less than `limit` ago, or is older.
Result<ObjectAge> AgeOf(Context& context, const std::string& name, const std::stop_token& stop,
                        std::chrono::seconds limit = kSubmissionTimeout);

/// Returns whether an index entry has no job, because its submission was interrupted.
Result<bool> IsIncompleteSubmission(Context& context, const JobSummary& job, std::stop_token stop);

/// Returns the summary of a job that the target has just reported as active.
JobSummary WithObservation(JobSummary known, const backend::Observation& observed);

/// Returns the last known summary of a job whose target cannot be queried.
JobSummary WithLastKnownState(JobSummary known, const Error& why);

/// Returns the summary of a job that the target reports as ended: from its result, or without one
/// if there is none yet.
Result<JobSummary> SummarizeEndedJob(Context& context, JobSummary known,
                                     const backend::Observation& observed, std::stop_token stop);

/// Copies the state from the result to the index, if the job has a result.
Status RefreshIndex(Context& context, std::string_view id, std::stop_token stop);

/// Same, from a result that was just read. Takes one request if `known` is a summary of the same
/// job.
Status IndexResult(Context& context, std::string_view id, const std::optional<JobSummary>& known,
                   const record::StoredOutcome& stored, std::stop_token stop);

}  // namespace kinetic::job
