#include "kinetic/job_of.h"
#include "kinetic/stored_values.h"
#include "kinetic/try.h"

#include "job/call_until.h"

namespace kinetic::inline v0 {

Result<Value> job_of::ReadValue(const Job& job, const Result<Outcome>& outcome,
                                const WaitOptions& options) {
  if (!outcome) return Failure(outcome.error());
  if (outcome->state != JobState::kSucceeded) return Failure(ErrorOf(*outcome));
  if (options.content == OutcomeContent::kState) return Value();
  return job::CallUntil(
      options.deadline, options.stop, "reading the value of job " + job.id(),
      [&](const std::stop_token& stop) { return LoadStored(job, outcome->value, stop); }, job.id());
}

Result<Value> job_of::AwaitValue(const Job& job, const WaitOptions& options) {
  return ReadValue(job, job.Wait(options), options);
}

}  // namespace kinetic::inline v0
