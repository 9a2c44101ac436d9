#include "job/handle.h"

#include "kinetic/copy.h"
#include "kinetic/try.h"

#include "job/copies/job_files.h"
#include "job/lifecycle/logs.h"
#include "job/lifecycle/outcome.h"
#include "job/lifecycle/timeline.h"
#include "job/outputs/fetch.h"
#include "job/summary.h"

#include <utility>

namespace kinetic::inline v0 {
namespace {

job::OutcomeRequest RequestOf(const JobSummary& job, OutcomeContent content) {
  return {.content = content, .known = job};
}

}  // namespace

Job::Job(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Job::~Job() = default;
Job::Job(const Job&) = default;
Job& Job::operator=(const Job&) = default;
Job::Job(Job&&) noexcept = default;
Job& Job::operator=(Job&&) noexcept = default;

const std::string& Job::id() const { return impl_->id(); }

Result<JobSummary> Job::Summary(std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(auto current,
                           job::RefreshState(impl_->context(), impl_->summary(), std::move(stop)));
  if (current.is_removed) return job::NoRecord(id());
  return std::move(current.summary);
}

Result<Explanation> Job::Explain(std::stop_token stop) const {
  return job::ExplainJob(impl_->context(), impl_->summary(), std::move(stop));
}

Result<JobTimeline> Job::Timeline(std::stop_token stop) const {
  return job::ReadTimeline(impl_->context(), impl_->summary(), std::move(stop));
}

Status Job::Logs(const LogOptions& options, const LogRecordSink& reader,
                 std::stop_token stop) const {
  return job::ReadLogs(impl_->context(), id(), options, reader, std::move(stop),
                       IsTerminal(impl_->summary().state));
}

Result<Outcome> Job::Wait(Observer* observer, std::stop_token stop, OutcomeContent content) const {
  auto outcome = job::AwaitOutcome(impl_->context(), id(), observer,
                                   RequestOf(impl_->summary(), content), std::move(stop));
  if (outcome) outcome->job = id();
  return outcome;
}

void Job::OnDone(std::function<void(Result<Outcome> outcome)> done, std::stop_token stop,
                 OutcomeContent content) const {
  if (!done) done = [](const Result<Outcome>&) {};
  job::Context& context = impl_->context();
  context.completions.Add(context, impl_->summary(), content, std::move(done), std::move(stop));
}

Result<std::optional<Outcome>> Job::Collect(std::stop_token stop, OutcomeContent content) const {
  auto outcome = job::CollectOutcome(impl_->context(), id(), RequestOf(impl_->summary(), content),
                                     std::move(stop));
  if (outcome && *outcome) (*outcome)->job = id();
  return outcome;
}

Status Job::ReadStored(std::string_view reference,
                       const std::function<Status(std::string_view)>& sink,
                       std::stop_token stop) const {
  return job::ReadStoredValue(impl_->context(), id(), reference, sink, std::move(stop));
}

Result<std::vector<OutputFile>> Job::Outputs(std::stop_token stop) const {
  return job::ListOutputs(impl_->context(), id(), std::move(stop));
}

Result<FetchReport> Job::FetchOutputs(const FetchOptions& options, std::stop_token stop) const {
  return job::FetchOutputs(impl_->context(), id(), options, std::move(stop));
}

Result<CopyReport> Job::CopyFrom(const CopyOptions& options, std::stop_token stop) const {
  return job::CopyFromJob(impl_->context(), impl_->summary(), options, std::move(stop));
}

Result<CopyReport> Job::CopyTo(const CopyOptions& options, std::stop_token stop) const {
  return job::CopyToJob(impl_->context(), impl_->summary(), options, std::move(stop));
}

Status Job::Cancel(std::stop_token stop) const {
  return job::CancelJob(impl_->context(), id(), std::move(stop));
}

}  // namespace kinetic::inline v0
