#pragma once

#include "kinetic/explanation.h"
#include "kinetic/job.h"

#include "job/context.h"
#include "record/outcome.h"
#include "store/object_store.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// Poll interval for a job whose submission is in progress.
inline constexpr std::chrono::milliseconds kSubmissionPoll{50};

/// Returns the result.json of a job, or nullopt if the job has not ended.
/// @errors  kDataLoss (damaged) · errors of Store.
Result<std::optional<record::StoredOutcome>> ReadResult(store::Store& store, std::string_view id,
                                                        std::stop_token stop);

/// Returns the outcome with its value. Fetches and verifies the value if it is not inline.
/// @errors  kDataLoss: the value is missing or does not match the result.
Result<Outcome> WithValue(store::Store& store, std::string_view id, record::StoredOutcome stored,
                          std::stop_token stop);

/// Copies an array or bytes value of a job to `sink` and verifies it.
///
/// @param reference  the "$ref" of its tagged form: "sha256:{64 hex digits}", or only the digits.
/// @errors  kInvalidArgument (not a reference) · kNotFound · kDataLoss, after bytes were written:
///          the caller must discard them.
Status ReadStoredValue(store::Store& store, std::string_view id, std::string_view reference,
                       const store::Sink& sink, std::stop_token stop);

/// Waits until a job has ended, returns its outcome and removes its state from the target.
/// Reconciles an abandoned job first.
///
/// @param is_indexed  whether the index lists the job as ended.
Result<Outcome> AwaitOutcome(Context& context, std::string_view id, Observer* observer,
                             bool is_indexed, std::stop_token stop);

/// Returns the outcome of a job, or nullopt if the job has not ended.
Result<std::optional<Outcome>> CollectOutcome(Context& context, std::string_view id,
                                              bool is_indexed, std::stop_token stop);

/// Cancels a job and waits until it has ended.
Status CancelJob(Context& context, std::string_view id, std::stop_token stop);

/// Explains the state of a job: from its result if it has one, with what the target still has about
/// its end; otherwise from the target.
///
/// @param known  an earlier summary.
/// @errors       errors of Refresh.
Result<Explanation> ExplainJob(Context& context, JobSummary known, std::stop_token stop);

}  // namespace kinetic::job
