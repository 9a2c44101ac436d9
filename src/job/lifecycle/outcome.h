#pragma once

#include "kinetic/explanation.h"
#include "kinetic/job.h"

#include "base/time/clock.h"
#include "job/context.h"
#include "record/job_record.h"
#include "record/outcome.h"
#include "store/object_store.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// Poll interval for a job whose submission is in progress.
inline constexpr std::chrono::milliseconds kSubmissionPoll{50};

/// Returns the key of a job, to verify what belongs to it. The nonce is empty if the job has no
/// readable record. Sends no request if the client knows the nonce.
/// @errors  errors of Store.
Result<record::JobKey> FindKey(Context& context, std::string_view id, std::stop_token stop);

/// Returns the result.json of a job, or nullopt if the job is not finished.
/// @errors  kDataLoss (damaged, or the result of another job) · errors of Store.
Result<std::optional<record::StoredOutcome>> ReadIntactResult(Context& context, std::string_view id,
                                                              std::stop_token stop);

/// Same, but ignores a damaged result: it is no evidence of an end, and is replaced at the end.
/// @errors  errors of Store.
Result<std::optional<record::StoredOutcome>> ReadResult(Context& context, std::string_view id,
                                                        std::stop_token stop);

/// Returns what the index tells about the end of a job whose result.json is missing or damaged, or
/// nullopt if they do not report an end. The outcome has no value.
/// @errors  kDataLoss · errors of Store.
Result<std::optional<record::StoredOutcome>> ReadEndFromIndex(Context& context, std::string_view id,
                                                              std::stop_token stop);

/// Same, for a job whose record is known.
Result<std::optional<record::StoredOutcome>> EndInIndex(Context& context,
                                                        const record::Record& record,
                                                        std::stop_token stop);

/// Returns the error of a job without a record.
Failure NoRecord(std::string_view id);

/// Fails if an outcome from the index lacks what the caller needs: the exit code of a job that
/// failed, or the value of one that succeeded.
/// @errors  kDataLoss.
Status CheckKnown(std::string_view id, const record::StoredOutcome& stored, OutcomeContent content);

/// Returns the outcome with its value. Fetches and verifies the value if it is not inline.
/// @errors  those of CheckKnown · kDataLoss: the value is missing, does not match the result, or is
///          longer than record::kMaxValueBytes.
Result<Outcome> WithValue(store::Store& store, std::string_view id, record::StoredOutcome stored,
                          std::stop_token stop);

/// Copies an array or bytes value of a job to `sink` and verifies it.
///
/// @param reference  the "$ref" of its tagged form: "sha256:{64 hex digits}", or only the digits.
/// @errors  kInvalidArgument (not a reference) · kNotFound · kDataLoss, after bytes were written:
///          the caller must discard them.
Status ReadStoredValue(Context& context, std::string_view id, std::string_view reference,
                       const store::Sink& sink, std::stop_token stop);

/// What to read of an outcome, and what is known already.
struct OutcomeRequest {
  OutcomeContent content = OutcomeContent::kAll;  ///< kState: reads no value that is not inline
  /// An earlier summary, if any. It makes reading the record unnecessary.
  std::optional<JobSummary> known = {};
};

/// Waits until a job has ended, returns its outcome and removes its state from the target.
/// Reconciles an abandoned job first.
Result<Outcome> AwaitOutcome(Context& context, std::string_view id, Observer* observer,
                             const OutcomeRequest& request, std::stop_token stop);

/// Returns the outcome of a job, or nullopt if the job is not finished.
Result<std::optional<Outcome>> CollectOutcome(Context& context, std::string_view id,
                                              const OutcomeRequest& request, std::stop_token stop);

/// Same, for a job that is not active on this client's target. Reconciles an abandoned job first.
///
/// @param checks_loss  also check whether the machine or cluster of a job that is visible only
///                     through the store is gone.
Result<std::optional<Outcome>> PollOutcome(Context& context, std::string_view id,
                                           const OutcomeRequest& request, bool checks_loss,
                                           const std::stop_token& stop);

/// Ends what runs on this machine of a job whose traces were removed. Returns whether there was
/// something.
Result<bool> EndOrphanedProcesses(Context& context, std::string_view id, std::stop_token stop);

/// Cancels a job and waits until it has ended.
Status CancelJob(Context& context, std::string_view id, std::stop_token stop);

/// Explains the state of a job: from its result if it has one, with what the target still has about
/// its end; otherwise from the target.
///
/// @param known  an earlier summary.
/// @errors       errors of Refresh.
Result<Explanation> ExplainJob(Context& context, JobSummary known, std::stop_token stop);

/// Liveness of a supervisor that has no state on this client's target.
struct Liveness {
  /// Why the supervisor is gone: "its supervisor, process 812 on laptop, is gone: …"; nullopt: it
  /// may be alive.
  std::optional<std::string> gone = {};
  bool is_elsewhere = false;  ///< on another target or machine
  /// It may be gone: "no heartbeat since …". Only another observation in this process can tell.
  std::optional<std::string> silent = {};
};

/// Decides from the heartbeats of a local target's job. A supervisor of this machine is gone if its
/// process is gone. Any other one is gone if this process observed no heartbeat for
/// record::kHeartbeatTimeout.
///
/// @param record  of a job that the target does not know.
Result<Liveness> CheckLiveness(Context& context, const record::Record& record,
                               std::stop_token stop);

}  // namespace kinetic::job
