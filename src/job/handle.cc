#include "job/handle.h"

#include "kinetic/copy.h"
#include "kinetic/try.h"

#include "job/call_until.h"
#include "job/checked.h"
#include "job/copies/job_files.h"
#include "job/definition.h"
#include "job/lifecycle/logs.h"
#include "job/lifecycle/outcome.h"
#include "job/lifecycle/timeline.h"
#include "job/outputs/fetch.h"
#include "job/summary.h"

#include <utility>

namespace kinetic::inline v0 {

using job::CallUntil;
using job::Checked;
using job::RequireCallback;

namespace {

/// Limits the request after a deadline.
constexpr std::chrono::seconds kLastLook{2};

job::OutcomeRequest RequestOf(const JobSummary& job, OutcomeContent content) {
  return {.content = content, .known = job};
}

Status CheckExists(job::Context& context, std::string_view id, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto record, job::ReadRecord(*context.store, id, stop));
  if (!record) return job::NoRecord(id);
  return {};
}

void AddWait(job::Context& context, std::string_view function, job::Completions::Request request,
             job::Completions::Callback done) {
  const Status allowed = context.Call(function, request.job.id);
  if (!allowed) request.error = allowed.error();
  context.completions.Add(context, std::move(request), std::move(done));
}

}  // namespace

Job::Job(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Job::~Job() = default;
Job::Job(const Job&) = default;
Job& Job::operator=(const Job&) = default;
Job::Job(Job&&) noexcept = default;
Job& Job::operator=(Job&&) noexcept = default;

const std::string& Job::id() const { return Checked(impl_).id(); }

Result<JobSummary> Job::Summary(std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Summary", id()));
  KINETIC_ASSIGN_OR_RETURN(
      auto current,
      job::RefreshState(Checked(impl_).context(), Checked(impl_).summary(), std::move(stop)));
  if (current.is_removed) return job::NoRecord(id());
  return std::move(current.summary);
}

Result<JobDefinition> Job::Definition(std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Definition", id()));
  return job::ReadDefinition(Checked(impl_).context(), id(), std::move(stop));
}

Result<Explanation> Job::Explain(std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Explain", id()));
  return job::ExplainJob(Checked(impl_).context(), Checked(impl_).summary(), std::move(stop));
}

Result<JobTimeline> Job::Timeline(std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Timeline", id()));
  return job::ReadTimeline(Checked(impl_).context(), Checked(impl_).summary(), std::move(stop));
}

bool Job::operator==(const Job& other) const {
  const JobSummary& mine = Checked(impl_).summary();
  const JobSummary& theirs = Checked(other.impl_).summary();
  return mine.id == theirs.id && mine.nonce == theirs.nonce;
}

Status Job::Logs(const LogOptions& options, const LogRecordSink& reader) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Logs", id()));
  const auto& impl = Checked(impl_);
  if (!reader)
    return Fail(ErrorCode::kInvalidArgument, "reading a log: there is no callback for its records");
  bool is_empty = true;
  const auto read = [&](const LogRecord& record) {
    is_empty = false;
    return reader(record);
  };
  return CallUntil(
      options.deadline, options.stop, "reading the log of job " + impl.id(),
      [&](const std::stop_token& stop) -> Status {
        KINETIC_RETURN_IF_ERROR(job::ReadLogs(impl.context(), impl.id(), options, read, stop,
                                              IsTerminal(impl.summary().state)));
        return is_empty ? CheckExists(impl.context(), impl.id(), stop) : Status();
      },
      impl.id());
}

Result<Outcome> Job::Wait(const WaitOptions& options) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Wait", id()));
  const auto& impl = Checked(impl_);
  auto outcome = CallUntil(
      options.deadline, options.stop, "waiting for job " + impl.id(),
      [&](const std::stop_token& stop) {
        return job::AwaitOutcome(impl.context(), impl.id(), options.observer,
                                 RequestOf(impl.summary(), options.content), stop);
      },
      impl.id());
  if (outcome) outcome->job = impl.id();
  if (outcome || !options.deadline || outcome.error().code != ErrorCode::kDeadlineExceeded)
    return outcome;
  // The deadline may have been too soon for the first request.
  const Deadline last(kLastLook, options.stop);
  auto ended = job::CollectOutcome(impl.context(), impl.id(),
                                   RequestOf(impl.summary(), options.content), last.token());
  if (!ended || !*ended) return outcome;
  (*ended)->job = impl.id();
  return **std::move(ended);
}

void Job::OnDone(std::function<void(Result<Outcome> outcome)> done,
                 const WaitOptions& options) const {
  const auto& impl = Checked(impl_);
  RequireCallback(done != nullptr);
  AddWait(impl.context(), "Wait", {.job = impl.summary(), .options = options}, std::move(done));
}

void Job::OnLog(LogRecordSink record, std::function<void(Status status)> done,
                const LogOptions& options) const {
  const auto& impl = Checked(impl_);
  RequireCallback(record && done);
  const WaitOptions wait{
      .stop = options.stop, .deadline = options.deadline, .content = OutcomeContent::kState};
  AddWait(impl.context(), "Logs",
          {.job = impl.summary(),
           .options = wait,
           .log = {std::move(record), options.from_sequence, options.tail}},
          [done = std::move(done)](const Result<Outcome>& outcome) {
            done(outcome ? Status() : Failure(outcome.error()));
          });
}

Result<std::optional<Outcome>> Job::Collect(std::stop_token stop, OutcomeContent content) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Collect", id()));
  auto outcome = job::CollectOutcome(Checked(impl_).context(), id(),
                                     RequestOf(Checked(impl_).summary(), content), std::move(stop));
  if (outcome && *outcome) (*outcome)->job = id();
  return outcome;
}

Status Job::ReadStored(std::string_view reference,
                       const std::function<Status(std::string_view)>& sink,
                       std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("ReadStored", id()));
  if (!sink)
    return Fail(ErrorCode::kInvalidArgument,
                "reading a value: there is no callback for its content");
  return job::ReadStoredValue(Checked(impl_).context(), id(), reference, sink, std::move(stop));
}

Result<std::vector<OutputFile>> Job::Outputs(std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Outputs", id()));
  return job::ListOutputs(Checked(impl_).context(), id(), std::move(stop));
}

Result<FetchReport> Job::FetchOutputs(const FetchOptions& options, std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("FetchOutputs", id()));
  return job::FetchOutputs(Checked(impl_).context(), id(), options, std::move(stop));
}

Result<CopyReport> Job::CopyFrom(const CopyOptions& options, std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("CopyFrom", id()));
  return job::CopyFromJob(Checked(impl_).context(), Checked(impl_).summary(), options,
                          std::move(stop));
}

Result<CopyReport> Job::CopyTo(const CopyOptions& options, std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("CopyTo", id()));
  return job::CopyToJob(Checked(impl_).context(), Checked(impl_).summary(), options,
                        std::move(stop));
}

Status Job::Cancel(const StopOptions& options) const {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Cancel", id()));
  const auto& impl = Checked(impl_);
  return CallUntil(
      options.deadline, options.stop, "cancelling job " + impl.id(),
      [&](const std::stop_token& stop) { return job::CancelJob(impl.context(), impl.id(), stop); },
      impl.id());
}

}  // namespace kinetic::inline v0
