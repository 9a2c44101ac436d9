#include "kinetic/client.h"

#include "kinetic/printable.h"
#include "kinetic/try.h"

#include "job/bundle/job_bundle.h"
#include "job/cluster_contexts.h"
#include "job/compare_jobs.h"
#include "job/context.h"
#include "job/find.h"
#include "job/gc/garbage.h"
#include "job/handle.h"
#include "job/outputs/fetch.h"
#include "job/parts.h"
#include "job/submit/pipeline.h"
#include "job/submit/rerun.h"
#include "job/summary.h"
#include "jobspec/check_errors.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <utility>

namespace kinetic::inline v0 {

class Client::Impl {
 public:
  explicit Impl(std::shared_ptr<job::Context> context) : clusters_(std::move(context)) {}

  job::Context& context() const { return clusters_.own(); }
  const std::shared_ptr<job::Context>& shared() const { return clusters_.shared(); }

  /// Returns the client's own context once abandoned jobs are reconciled or left to the background.
  Result<job::Context*> Reconciled(const std::stop_token& stop) {
    context().reconciler.Start(context());
    KINETIC_RETURN_IF_ERROR(context().reconciler.Wait({}, stop));
    return &context();
  }

  /// A new job does not depend on abandoned jobs, so these are reconciled in the background. The
  /// job with the chosen ID may be one of them.
  Result<JobSummary> Submit(const std::string& id,
                            const std::function<Result<JobSummary>()>& submit,
                            const std::stop_token& stop) {
    auto& reconciler = context().reconciler;
    reconciler.Start(context());
    if (!id.empty()) KINETIC_RETURN_IF_ERROR(reconciler.Wait(id, stop));
    auto submitted = submit();
    if (!IsRemote()) (void)reconciler.Wait({}, stop);
    return submitted;
  }

  struct Located {
    JobSummary job;  ///< from the index
    std::shared_ptr<job::Context> context;
  };

  /// Returns the job with this ID and its context on any target. Reconciles the job if necessary.
  /// The cluster and the store are queried concurrently, because both are slow.
  Result<Located> Locate(std::string_view id, const std::stop_token& stop) {
    auto& own = context();
    own.reconciler.Start(own);
    if (!IsRemote()) KINETIC_RETURN_IF_ERROR(own.reconciler.Wait({}, stop));
    KINETIC_ASSIGN_OR_RETURN(auto job, job::FindJob(own, id, stop));
    return LocateListed(std::move(job), stop);
  }

  /// Same, for a job from the index.
  Result<Located> LocateListed(JobSummary job, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(auto job_context, clusters_.ForJob(job, stop));
    if (IsRemote() && !job_context->cluster_error && !IsTerminal(job.state)) {
      job_context->reconciler.Start(*job_context);
      KINETIC_RETURN_IF_ERROR(job_context->reconciler.Wait(job.id, stop));
    }
    job_context->nonces.Take(job);
    return Located{std::move(job), std::move(job_context)};
  }

  Result<std::vector<JobSummary>> List(const ListOptions& options, const std::stop_token& stop) {
    auto& reconciler = context().reconciler;
    reconciler.Start(context());
    if (!IsRemote()) KINETIC_RETURN_IF_ERROR(reconciler.Wait({}, stop));
    return job::ListJobs(clusters_, options, stop);
  }

  Job Handle(Located located) {
    return Job(std::make_shared<Job::Impl>(std::move(located.context), std::move(located.job)));
  }
  Result<Job> Handle(JobSummary job, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(auto job_context, clusters_.ForJob(job, stop));
    return Handle({std::move(job), std::move(job_context)});
  }

 private:
  /// Reconciling the jobs of a remote target takes long: commands wait only for the job they need.
  bool IsRemote() { return context().target->Traits().is_remote; }

  job::ClusterContexts clusters_;
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

}  // namespace kinetic::inline v0

namespace kinetic::job {

Client ClientFactory::Make(std::shared_ptr<Context> context) {
  return Client(std::make_unique<Client::Impl>(std::move(context)));
}

}  // namespace kinetic::job

namespace kinetic::inline v0 {

Result<Client> Client::Open(ClientOptions options, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto context, job::OpenContext(std::move(options), std::move(stop)));
  return job::ClientFactory::Make(std::move(context));
}

Result<Client> Client::Open(Result<ClientOptions> options, std::stop_token stop) {
  if (!options) return Failure(std::move(options).error());
  return Open(*std::move(options), std::move(stop));
}

namespace {

/// Checks a spec for a client of this profile.
Status CheckSpec(const JobSpec& spec, const std::string& profile) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckJob(spec));
  if (spec.target.empty() || spec.target == profile) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("the job has the target {}, but this client uses the profile {}",
                          Printable(spec.target), profile),
              "open a client for the target with LoadProfile, or clear JobSpec::target");
}

}  // namespace

Result<Plan> Client::Prepare(const JobSpec& spec, const SubmitOptions& options,
                             std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckSpec(spec, impl_->context().options.profile.name));
  KINETIC_ASSIGN_OR_RETURN(job::Context* const context, impl_->Reconciled(stop));
  return job::MakePlan(*context, spec, options, std::move(stop));
}

Result<Job> Client::Submit(const JobSpec& spec, const SubmitOptions& options,
                           std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckSpec(spec, impl_->context().options.profile.name));
  const auto submit = [&] { return job::SubmitJob(impl_->context(), spec, options, stop); };
  KINETIC_ASSIGN_OR_RETURN(auto summary, impl_->Submit(options.id, submit, stop));
  return impl_->Handle(std::move(summary), stop);
}

Result<Job> Client::Rerun(const Job& job, const JobFileOptions& changes,
                          const SubmitOptions& options, std::stop_token stop) {
  const auto submit = [&] {
    return job::RerunJob(impl_->context(), job.id(), changes, options, stop);
  };
  KINETIC_ASSIGN_OR_RETURN(auto summary, impl_->Submit(options.id, submit, stop));
  return impl_->Handle(std::move(summary), stop);
}

Result<Job> Client::Find(std::string_view word, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto located, impl_->Locate(word, stop));
  return impl_->Handle(std::move(located));
}

Result<Job> Client::Find(const JobSummary& listed, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto located, impl_->LocateListed(listed, stop));
  return impl_->Handle(std::move(located));
}

Result<std::vector<JobSummary>> Client::List(const ListOptions& options, std::stop_token stop) {
  return impl_->List(options, stop);
}

Result<JobDifference> Client::CompareJobs(const Job& before, const Job& now, std::stop_token stop) {
  return job::CompareJobs({before.impl_->context(), before.impl_->summary()},
                          {now.impl_->context(), now.impl_->summary()}, stop);
}

Status Client::Remove(const Job& job, std::stop_token stop) {
  return job::RemoveJob(job.impl_->context(), job.impl_->summary(), std::move(stop));
}

Status Client::ForceRemove(std::string_view id, Observer* observer, std::stop_token stop) {
  const auto located = impl_->Locate(id, stop);
  if (located)
    return job::ForceRemoveJob(*located->context, located->job, observer, std::move(stop));
  const ErrorCode code = located.error().code;
  if (code != ErrorCode::kNotFound && code != ErrorCode::kDataLoss) {
    return Failure(located.error());
  }
  auto& context = impl_->context();
  KINETIC_ASSIGN_OR_RETURN(const auto remains, job::FindRemains(context, id, stop));
  if (!remains) return Failure(located.error());
  return job::ForceRemoveJob(context, *remains, observer, std::move(stop));
}

Result<std::string> Client::OutputLocation(std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto located, impl_->Locate(id, stop));
  return job::OutputLocation(*located.context, located.job.id);
}

Result<RemovedOutputs> Client::RemoveOutputs(std::string_view id, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(job::CheckJobId(id));
  const auto located = impl_->Locate(id, stop);
  if (!located && located.error().code != ErrorCode::kNotFound &&
      located.error().code != ErrorCode::kInvalidArgument)
    return Failure(located.error());
  // A prefix may match another job than the removed one with this ID.
  const bool exists = located && located->job.id == id;
  if (exists) {
    KINETIC_ASSIGN_OR_RETURN(const JobSummary job,
                             job::Refresh(*located->context, located->job, stop));
    if (!IsTerminal(job.state))
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("cannot remove the outputs of job {}: it is {}", id, Name(job.state)),
                  fmt::format("cancel it first: kinetic cancel {}", id));
  }
  KINETIC_ASSIGN_OR_RETURN(const RemovedOutputs removed,
                           job::RemoveOutputs(impl_->context(), id, stop));
  if (removed.files == 0 && !exists)
    return Fail(ErrorCode::kNotFound, fmt::format("neither job {} nor its outputs exist", id),
                "pass the full ID; 'kinetic gc --outputs --dry-run' lists outputs of removed jobs");
  return removed;
}

Result<BundleListing> Client::ListBundle(const JobSpec& spec, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  return job::ListBundle(impl_->context(), spec, std::move(stop));
}

Result<BundleDifference> Client::DiffBundle(const JobSpec& spec, std::string_view since,
                                            std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  KINETIC_ASSIGN_OR_RETURN(job::Context* const context, impl_->Reconciled(stop));
  return job::CompareBundle(*context, spec, since, std::move(stop));
}

Datasets Client::datasets() const {
  return Datasets(std::make_shared<Datasets::Impl>(impl_->shared()));
}

Environments Client::environments() const {
  return Environments(std::make_shared<Environments::Impl>(impl_->shared()));
}

Images Client::images() const { return Images(std::make_shared<Images::Impl>(impl_->shared())); }

Result<GarbageReport> Client::CollectGarbage(const GarbageOptions& options, std::stop_token stop) {
  return job::CollectAllGarbage(impl_->context(), options, std::move(stop));
}

}  // namespace kinetic::inline v0
