#include "kinetic/client.h"

#include "kinetic/printable.h"
#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "job/bundle/job_bundle.h"
#include "job/call_until.h"
#include "job/checked.h"
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
#include "job/submit/shared_arrays.h"
#include "job/summary.h"
#include "jobspec/check_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace kinetic::inline v0 {

using job::CallUntil;
using job::Checked;

class Client::Impl {
 public:
  explicit Impl(std::shared_ptr<job::Context> context) : clusters_(std::move(context)) {}

  using Submission = std::function<Result<JobSummary>(const std::stop_token& stop)>;

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
  Result<Job> Submit(const SubmitOptions& options, const Submission& submit) {
    return CallUntil(options.deadline, options.stop, "submitting a job",
                     [&](const std::stop_token& stop) -> Result<Job> {
                       KINETIC_ASSIGN_OR_RETURN(auto job, SubmitUntil(options.id, submit, stop));
                       return Handle(std::move(job), stop);
                     });
  }

  std::vector<Result<Job>> SubmitAlike(std::span<const JobSpec> specs, std::size_t threads,
                                       const StopOptions& options) {
    context().reconciler.Start(context());
    std::vector<Result<Job>> jobs;
    const auto submit = [&](const std::stop_token& stop) -> Status {
      for (auto& submitted : job::SubmitAlike(context(), specs, threads, stop)) {
        if (submitted)
          jobs.push_back(Handle(*std::move(submitted), {}));
        else
          jobs.emplace_back(Failure(std::move(submitted).error()));
      }
      return {};
    };
    // A passed deadline is the error of the jobs that were not submitted.
    (void)CallUntil(options.deadline, options.stop, "submitting jobs", submit);
    const bool is_late = options.deadline && !options.stop.stop_requested();
    for (auto& job : jobs)
      if (!job && is_late && job.error().code == ErrorCode::kCancelled)
        job = job::DeadlinePassed("submitting a job");
    return jobs;
  }

  struct Located {
    JobSummary job;  ///< from the index
    std::shared_ptr<job::Context> context;
    std::uint64_t same_name = 1;  ///< of FoundJob
  };

  /// Returns the job with this ID and its context on any target. Reconciles the job if necessary.
  /// The cluster and the store are queried concurrently, because both are slow.
  Result<Located> Locate(std::string_view id, const std::stop_token& stop) {
    auto& own = context();
    own.reconciler.Start(own);
    if (!IsRemote()) KINETIC_RETURN_IF_ERROR(own.reconciler.Wait({}, stop));
    KINETIC_ASSIGN_OR_RETURN(auto found, job::FindNamedJob(own, id, stop));
    KINETIC_ASSIGN_OR_RETURN(auto located, LocateListed(std::move(found.job), stop));
    located.same_name = found.same_name;
    return located;
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
  Result<JobSummary> SubmitUntil(const std::string& id, const Submission& submit,
                                 const std::stop_token& stop) {
    auto& reconciler = context().reconciler;
    reconciler.Start(context());
    if (!id.empty()) KINETIC_RETURN_IF_ERROR(reconciler.Wait(id, stop));
    auto submitted = submit(stop);
    if (!IsRemote()) (void)reconciler.Wait({}, stop);
    return submitted;
  }

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

bool AreValid(std::span<const JobSpec> specs, const job::Context& context) {
  return std::ranges::all_of(specs, [&](const JobSpec& spec) {
    return CheckSpec(spec, context.options.profile.name).has_value();
  });
}

}  // namespace

Result<Plan> Client::Prepare(const JobSpec& spec, const SubmitOptions& options) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Prepare"));
  auto& impl = Checked(impl_);
  KINETIC_RETURN_IF_ERROR(CheckSpec(spec, impl.context().options.profile.name));
  return CallUntil(options.deadline, options.stop, "preparing a job",
                   [&](const std::stop_token& stop) -> Result<Plan> {
                     // A plan does not depend on abandoned jobs, and changes nothing.
                     return job::MakePlan(impl.context(), spec, options, stop);
                   });
}

Result<Job> Client::Submit(const JobSpec& spec, const SubmitOptions& options) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Submit"));
  auto& impl = Checked(impl_);
  KINETIC_RETURN_IF_ERROR(CheckSpec(spec, impl.context().options.profile.name));
  return impl.Submit(options, [&](const std::stop_token& stop) {
    return job::SubmitJob(impl.context(), spec, options, stop);
  });
}

Result<Value> Client::Put(Value value, const StopOptions& options) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Put"));
  return CallUntil(
      options.deadline, options.stop, "storing a value", [&](const std::stop_token& stop) {
        return job::PutSharedArrays(*Checked(impl_).context().store, std::move(value), stop);
      });
}

std::vector<Result<Job>> Client::SubmitAll(std::span<const JobSpec> specs,
                                           const StopOptions& options) {
  constexpr std::size_t kMaxSubmissions = 8;
  auto& impl = Checked(impl_);
  if (job::AreAlike(impl.context(), specs) && AreValid(specs, impl.context()))
    return impl.SubmitAlike(specs, kMaxSubmissions, options);
  const SubmitOptions each{.stop = options.stop, .deadline = options.deadline};
  std::vector<Result<Job>> jobs(
      specs.size(), Result<Job>(Fail(ErrorCode::kCancelled, "the job was not submitted")));
  // Without a stop token, so that each job gets the error of its own submission.
  (void)ParallelFor(kMaxSubmissions, specs.size(), {},
                    [&](std::size_t i, const std::stop_token&) -> Status {
                      jobs[i] = Submit(specs[i], each);
                      return {};
                    });
  return jobs;
}

Result<Job> Client::Rerun(const Job& job, const JobFileOptions& changes,
                          const SubmitOptions& options) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Rerun"));
  auto& impl = Checked(impl_);
  return impl.Submit(options, [&](const std::stop_token& stop) {
    return job::RerunJob(impl.context(), job.id(), changes, options, stop);
  });
}

Result<Job> Client::RerunTasks(const Job& job, const std::vector<std::uint32_t>& tasks,
                               const JobFileOptions& changes, const SubmitOptions& options) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Rerun"));
  auto& impl = Checked(impl_);
  return impl.Submit(options, [&](const std::stop_token& stop) {
    return job::RerunJob(impl.context(), job.id(), changes, options, stop, tasks);
  });
}

Result<Job> Client::Find(std::string_view word, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Find"));
  KINETIC_ASSIGN_OR_RETURN(auto located, Checked(impl_).Locate(word, stop));
  return Checked(impl_).Handle(std::move(located));
}

Result<FoundJob> Client::FindByWord(std::string_view word, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Find"));
  KINETIC_ASSIGN_OR_RETURN(auto located, Checked(impl_).Locate(word, stop));
  const std::uint64_t same_name = located.same_name;
  return FoundJob{Checked(impl_).Handle(std::move(located)), same_name};
}

Result<Job> Client::Find(const JobSummary& listed, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Find"));
  KINETIC_ASSIGN_OR_RETURN(auto located, Checked(impl_).LocateListed(listed, stop));
  return Checked(impl_).Handle(std::move(located));
}

Result<std::vector<JobSummary>> Client::List(const ListOptions& options, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("List"));
  return Checked(impl_).List(options, stop);
}

Result<JobDifference> Client::CompareJobs(const Job& before, const Job& now,
                                          const CompareOptions& options, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("CompareJobs"));
  return job::CompareJobs({Checked(before.impl_).context(), Checked(before.impl_).summary()},
                          {Checked(now.impl_).context(), Checked(now.impl_).summary()}, options,
                          std::move(stop));
}

Status Client::Remove(const Job& job, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("Remove", Checked(job.impl_).id()));
  return job::RemoveJob(Checked(job.impl_).context(), Checked(job.impl_).summary(),
                        std::move(stop));
}

Status Client::ForceRemove(std::string_view id, Observer* observer, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("ForceRemove"));
  const auto located = Checked(impl_).Locate(id, stop);
  if (located)
    return job::ForceRemoveJob(*located->context, located->job, observer, std::move(stop));
  const ErrorCode code = located.error().code;
  if (code != ErrorCode::kNotFound && code != ErrorCode::kDataLoss) {
    return Failure(located.error());
  }
  auto& context = Checked(impl_).context();
  KINETIC_ASSIGN_OR_RETURN(const auto remains, job::FindRemains(context, id, stop));
  if (!remains) return Failure(located.error());
  return job::ForceRemoveJob(context, *remains, observer, std::move(stop));
}

Result<std::string> Client::OutputLocation(std::string_view id, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("OutputLocation"));
  KINETIC_ASSIGN_OR_RETURN(const auto located, Checked(impl_).Locate(id, stop));
  return job::OutputLocation(*located.context, located.job.id);
}

Result<RemovedOutputs> Client::RemoveOutputs(std::string_view id,
                                             const std::vector<std::string>& paths,
                                             std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("RemoveOutputs"));
  KINETIC_RETURN_IF_ERROR(job::CheckJobId(id));
  const auto located = Checked(impl_).Locate(id, stop);
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
                           job::RemoveOutputs(Checked(impl_).context(), id, paths, stop));
  if (removed.files == 0 && !exists)
    return Fail(ErrorCode::kNotFound,
                fmt::format("there is no job {}, and there are no outputs of it", id),
                "pass the full ID; 'kinetic gc --outputs --dry-run' lists outputs of removed jobs");
  return removed;
}

Result<BundleListing> Client::ListBundle(const JobSpec& spec, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("ListBundle"));
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  return job::ListBundle(Checked(impl_).context(), spec, std::move(stop));
}

Result<BundleDifference> Client::DiffBundle(const JobSpec& spec, std::string_view since,
                                            std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("DiffBundle"));
  KINETIC_RETURN_IF_ERROR(jobspec::CheckErrors(spec));
  KINETIC_ASSIGN_OR_RETURN(job::Context* const context, Checked(impl_).Reconciled(stop));
  return job::CompareBundle(*context, spec, since, std::move(stop));
}

Datasets Client::datasets() const {
  return Datasets(std::make_shared<Datasets::Impl>(Checked(impl_).shared()));
}

Environments Client::environments() const {
  return Environments(std::make_shared<Environments::Impl>(Checked(impl_).shared()));
}

Images Client::images() const {
  return Images(std::make_shared<Images::Impl>(Checked(impl_).shared()));
}

Result<GarbageReport> Client::CollectGarbage(const GarbageOptions& options, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Checked(impl_).context().Call("CollectGarbage"));
  return job::CollectAllGarbage(Checked(impl_).context(), options, std::move(stop));
}

}  // namespace kinetic::inline v0
