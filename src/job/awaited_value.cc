#include "kinetic/job_of.h"
#include "kinetic/stored_values.h"
#include "kinetic/try.h"

#include "job/call_until.h"

#include <utility>

namespace kinetic::inline v0 {

Result<Value> job_of::ReadValue(const Job& job, const Result<Outcome>& outcome,
                                OutcomeContent content, std::stop_token stop) {
  if (!outcome) return Failure(outcome.error());
  if (outcome->state != JobState::kSucceeded) return Failure(ErrorOf(*outcome));
  if (content == OutcomeContent::kState) return Value();
  return LoadStored(job, outcome->value, std::move(stop));
}

Result<Value> job_of::AwaitValue(const Job& job, const WaitOptions& options) {
  const Result<Outcome> outcome = job.Wait(options);
  return job::CallUntil(
      options.deadline, options.stop, "reading the value of job " + job.id(),
      [&](const std::stop_token& stop) { return ReadValue(job, outcome, options.content, stop); });
}

}  // namespace kinetic::inline v0
