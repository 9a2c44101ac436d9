#include "kinetic/client.h"

#include "base/try.h"
#include "job/context.h"
#include "job/data_sets.h"
#include "job/environments.h"
#include "job/find.h"
#include "job/garbage.h"
#include "job/job_handle.h"
#include "job/list.h"
#include "job/other_clusters.h"
#include "job/outputs.h"
#include "job/package_compare.h"
#include "job/plan.h"
#include "job/settle.h"
#include "job/submit.h"

#include <future>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace kinetic {

class Client::Impl {
 public:
  explicit Impl(std::shared_ptr<job::Context> context) : clusters_(std::move(context)) {}

  job::Context& context() const { return clusters_.own(); }
  job::OtherClusters& clusters() { return clusters_; }

  /// The context, when the jobs whose supervisors died have been settled once.
  Result<job::Context*> Settled(const std::stop_token& stop) {
    const std::lock_guard lock(settling_);
    if (!settled_) KINETIC_RETURN_IF_ERROR(job::SettleAll(context(), stop));
    settled_ = true;
    return &context();
  }

  /// What `look` finds in the store. A cluster is asked about jobs that have to be settled
  /// meanwhile, for both answers take a while.
  template <typename Look>
  std::invoke_result_t<Look> Find(const Look& look, const std::stop_token& stop) {
    const bool far = context().target->UsesImages();
    auto settling =
        std::async(far ? std::launch::async : std::launch::deferred, [&] { return Settled(stop); });
    if (!far) settling.wait();
    auto found = look();
    const auto settled = settling.get();
    if (!settled) return Failure(settled.error());
    return found;
  }

  /// What others left is no concern of a new job's, and is settled meanwhile; but one of these may
  /// be the job that has the chosen id.
  Result<JobSummary> Submit(const JobSpec& spec, const SubmitOptions& options,
                            const std::stop_token& stop) {
    if (!options.id.empty()) {
      KINETIC_RETURN_IF_ERROR(Settled(stop));
      return job::SubmitJob(context(), spec, options, stop);
    }
    const std::jthread settling([this, stop] {
      const auto settled = Settled(stop);
      if (!settled) context().Log(LogLevel::kWarning, settled.error().message);
    });
    return job::SubmitJob(context(), spec, options, stop);
  }

  /// A job with what works on it, wherever it is.
  Result<Job> Handle(JobSummary summary, std::stop_token stop) {
    KINETIC_ASSIGN_OR_RETURN(auto context, clusters_.Of(summary, std::move(stop)));
    return Job(std::make_shared<Job::Impl>(std::move(context), std::move(summary)));
  }

 private:
  job::OtherClusters clusters_;
  std::mutex settling_;
  bool settled_ = false;
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<Client> Client::Open(ClientOptions options, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto context, job::OpenContext(std::move(options), std::move(stop)));
  return Client(std::make_unique<Impl>(std::move(context)));
}

Result<Plan> Client::Prepare(const JobSpec& spec, const SubmitOptions& options,
                             std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(job::Context* const context, impl_->Settled(stop));
  return job::MakePlan(*context, spec, options, std::move(stop));
}

Result<Job> Client::Submit(const JobSpec& spec, const SubmitOptions& options,
                           std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto summary, impl_->Submit(spec, options, stop));
  return impl_->Handle(std::move(summary), std::move(stop));
}

Result<Job> Client::Find(std::string_view id, std::stop_token stop) {
  const auto look = [&] { return job::FindJob(impl_->context(), id, stop); };
  KINETIC_ASSIGN_OR_RETURN(auto summary, impl_->Find(look, stop));
  return impl_->Handle(std::move(summary), std::move(stop));
}

Result<std::vector<JobSummary>> Client::List(const ListOptions& options, std::stop_token stop) {
  return impl_->Find([&] { return job::ListJobs(impl_->clusters(), options, stop); }, stop);
}

Status Client::Remove(std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(job::Context* const context, impl_->Settled(stop));
  KINETIC_ASSIGN_OR_RETURN(const auto summary, job::FindJob(*context, id, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto its, impl_->clusters().Of(summary, stop));
  return job::RemoveJob(*its, summary, std::move(stop));
}

Result<std::string> Client::OutputLocation(std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(job::Context* const context, impl_->Settled(stop));
  KINETIC_ASSIGN_OR_RETURN(const auto summary, job::FindJob(*context, id, std::move(stop)));
  return job::OutputsOf(*context, summary.id);
}

Result<BundleListing> Client::ListBundle(const JobSpec& spec, std::stop_token stop) {
  return job::ListPackage(impl_->context(), spec, std::move(stop));
}

Result<BundleDifference> Client::DiffBundle(const JobSpec& spec, std::string_view since,
                                            std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(job::Context* const context, impl_->Settled(stop));
  return job::ComparePackage(*context, spec, since, std::move(stop));
}

Result<PutDataReport> Client::PutData(const std::filesystem::path& source,
                                      const PutDataOptions& options, std::stop_token stop) {
  return job::PutData(impl_->context(), source, options, std::move(stop));
}

Result<std::vector<DataSet>> Client::ListData(std::stop_token stop) {
  return job::ListData(impl_->context(), std::move(stop));
}

Result<DataSet> Client::RemoveData(std::string_view name, std::stop_token stop) {
  return job::RemoveData(impl_->context(), name, std::move(stop));
}

Result<EnvironmentLock> Client::Lock(const JobSpec& spec, bool renew, Observer* observer,
                                     std::stop_token stop) {
  return job::LockPackages(impl_->context(), spec,
                           {.locked = false, .relock = renew, .observer = observer},
                           std::move(stop));
}

Result<EnvironmentExplanation> Client::ExplainEnvironment(const JobSpec& spec,
                                                          std::stop_token stop) {
  return job::ExplainPackages(impl_->context(), spec, std::move(stop));
}

Result<std::vector<EnvironmentSummary>> Client::ListEnvironments(std::stop_token stop) {
  return job::ListEnvironments(impl_->context(), std::move(stop));
}

Result<EnvironmentSummary> Client::RemoveEnvironment(std::string_view id, std::stop_token stop) {
  return job::RemoveEnvironment(impl_->context(), id, std::move(stop));
}

Result<GarbageReport> Client::CollectGarbage(const GarbageOptions& options, std::stop_token stop) {
  return job::CollectAllGarbage(impl_->context(), options, std::move(stop));
}

}  // namespace kinetic
