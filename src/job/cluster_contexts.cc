#include "job/cluster_contexts.h"

#include "kinetic/try.h"

#include "connect/cluster.h"
#include "job/context.h"
#include "job/summary.h"

#include <utility>

namespace kinetic::job {
namespace {

ClusterContexts::Opener OpenerOf(const Context& own) {
  return [&own](const std::string& identity,
                std::stop_token stop) -> Result<std::shared_ptr<backend::Target>> {
    const connect::Dependencies dependencies = DependenciesFor(own.options, own.fs, own.clock);
    KINETIC_ASSIGN_OR_RETURN(
        auto target, OpenTarget(own.options, dependencies, *own.store, identity, std::move(stop)));
    return std::shared_ptr<backend::Target>(std::move(target));
  };
}

Result<std::string> IdentityOf(const JobSummary& job, const Context& own, std::stop_token stop) {
  if (!job.target_identity.empty()) return job.target_identity;
  KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*own.store, job.id, std::move(stop)));
  return record ? record->target_identity : std::string();
}

std::shared_ptr<Context> WithTarget(const Context& own, std::shared_ptr<backend::Target> target) {
  return std::make_shared<Context>(own.options, own.fs, own.clock, own.cloud, own.store,
                                   std::move(target));
}

}  // namespace

ClusterContexts::ClusterContexts(std::shared_ptr<Context> own, Opener open)
    : own_(std::move(own)), open_(open ? std::move(open) : OpenerOf(*own_)) {}

Result<std::shared_ptr<Context>> ClusterContexts::ForJob(const JobSummary& job,
                                                         std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const std::string identity, IdentityOf(job, *own_, stop));
  const std::string here = own_->target->Identity();
  // A local profile refers to no cluster, and no profile refers to another machine.
  if (identity == here || !connect::IsClusterIdentity(identity) ||
      !connect::IsClusterIdentity(here))
    return own_;
  const std::lock_guard lock(mutex_);
  const auto known = others_.find(identity);
  if (known != others_.end()) return known->second;
  auto target = open_(identity, std::move(stop));
  if (!target && target.error().code == ErrorCode::kCancelled) return Failure(target.error());
  auto context = WithTarget(*own_, target.value_or(own_->target));
  if (target) {
    others_.emplace(identity, context);
  } else {
    context->cluster_error = std::move(target).error();
  }
  return context;
}

}  // namespace kinetic::job
