#include "kinetic/try.h"

#include "backend/capabilities.h"
#include "base/random.h"
#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_lease.h"
#include "env/dependencies/urls.h"
#include "env/install/installer.h"
#include "env/install/log.h"
#include "env/packages/stored_packages.h"
#include "env/resolve/build_request.h"
#include "env/tool_options.h"
#include "job/context.h"
#include "job/environment/job_environment.h"
#include "job/environment/make.h"
#include "pod/container.h"
#include "record/object_names.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::string_view kWholeLog = "full log: ";

Result<bool> BuildsPackagesInCluster(const Context& context, const JobEnvironment& environment,
                                     const std::stop_token& stop) {
  if (!environment.base || context.target->package_builder() == nullptr) return false;
  switch (context.options.profile.kubernetes.package_builds) {
    case PackageBuilds::kHere:
      return false;
    case PackageBuilds::kCluster:
      return true;
    case PackageBuilds::kAuto:
      break;
  }
  KINETIC_ASSIGN_OR_RETURN(const bool can, env::CanInstall(ToolOptionsOf(context), stop));
  return !can;
}

/// Writes the cluster's output to a separate log and, without secrets, to the caller.
class ClusterLog final : public Observer {
 public:
  ClusterLog(env::InstallerLog& log, Observer* next) : log_(log), next_(next) {}

  void OnOutput(Phase /*phase*/, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    log_.Write(std::string(line) + "\n");
  }
  void OnWarning(std::string_view message) override {
    if (next_ != nullptr) next_->OnWarning(message);
  }

 private:
  std::mutex mutex_;
  env::InstallerLog& log_;
  Observer* next_;
};

/// A "not found" error from a pod refers to its image, not to this machine.
Error ExplainNotFound(Error error, const std::string& image) {
  if (error.code != ErrorCode::kNotFound) return error;
  error.code = ErrorCode::kFailedPrecondition;
  error.hint =
      "set an image with uv, or with Python and pip, in the profile; or build on a machine "
      "with one of them: package_builds=here";
  return std::move(error).Context("cannot build the packages in the image " + image);
}

/// Replaces the log path in the hint, because the pod's log no longer exists.
Error WithLocalLog(Error error, const Path& log) {
  if (error.code == ErrorCode::kCancelled) return error;
  error.hint.erase(std::min(error.hint.find(kWholeLog), error.hint.size()));
  if (!error.hint.empty() && !error.hint.ends_with("; ")) error.hint += "; ";
  if (error.code == ErrorCode::kUnavailable) {
    error.hint += "a pod sent the request; to send it from this machine, set package_builds=here; ";
  }
  error.hint.append(kWholeLog).append(log.native());
  return error;
}

backend::PackageBuildLaunch LaunchOf(const JobEnvironment& environment,
                                     const env::BuildRequest& build_request) {
  const std::string& base_digest =
      build_request.lock ? build_request.lock->base_image : build_request.base_digest;
  const Digest digest = Sha256::Of(env::ToJson(build_request));
  return {.request_name = record::BuildRequestName(digest),
          .request_digest = digest,
          .image = PinnedBase(*environment.base, base_digest),
          .private_urls = environment.manifest->private_urls,
          .pod = environment.pod};
}

Status BuildInCluster(const Context& context, const JobEnvironment& environment,
                      const env::BuildRequest& build_request, Observer* observer,
                      const std::stop_token& stop) {
  const backend::PackageBuildLaunch launch = LaunchOf(environment, build_request);
  KINETIC_RETURN_IF_ERROR(
      store::Overwrite(*context.store, launch.request_name, env::ToJson(build_request), stop));
  const Path path =
      env::EnvironmentCacheLayout{context.options.cache_dir}.Logs() /
      ("cluster-" + launch.request_digest.Hex().substr(0, 12) + "-" + RandomId() + ".log");
  KINETIC_ASSIGN_OR_RETURN(
      env::InstallerLog log,
      env::InstallerLog::Create(context.fs, path, env::SecretsIn(launch.private_urls), observer));
  ClusterLog both(log, observer);
  Status made = context.target->package_builder()->BuildPackages(launch, both, stop);
  if (!made) {
    made = Failure(WithLocalLog(ExplainNotFound(std::move(made).error(), launch.image), path));
  }
  log.Close(made ? nullptr : &made.error());
  return made;
}

std::string Prefix() { return std::string(pod::kEnvironmentFolder); }

Result<bool> ArePackagesStored(const Context& context, const JobEnvironment& environment,
                               const env::Lock& lock, const std::stop_token& stop) {
  bundle::ContentLease lease(*context.store, &bundle::ReferencesOf);
  const env::PackageStore packages{ToolOptionsOf(context),
                                   environment.manifest->private_urls,
                                   *context.store,
                                   lease,
                                   Prefix(),
                                   nullptr};
  return env::ArePackagesStored(lock, packages, stop);
}

class ClusterPackagesBuilder final : public env::EnvironmentBuilder {
 public:
  ClusterPackagesBuilder(const Context& context, const JobEnvironment& environment,
                         std::unique_ptr<env::EnvironmentBuilder> builder,
                         std::shared_ptr<env::UploadEstimator> upload_estimator)
      : context_(context),
        environment_(environment),
        builder_(std::move(builder)),
        estimator_(std::move(upload_estimator)) {}

  Result<std::optional<env::ReadyEnvironment>> Find(const env::Lock& lock,
                                                    std::stop_token stop) override {
    return builder_->Find(lock, std::move(stop));
  }

  Result<env::ReadyEnvironment> Ensure(const env::Lock& lock, Observer* observer,
                                       std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(bool made, BuildMissing(lock, observer, stop));
    auto ready = builder_->Ensure(lock, observer, stop);
    if (!ready && IsTooSlow(ready.error())) {
      KINETIC_ASSIGN_OR_RETURN(made, ContinueInCluster(lock, ready.error(), observer, stop));
      ready = builder_->Ensure(lock, observer, stop);
    }
    if (ready) ready->built = ready->built || made;
    return ready;
  }

 private:
  Result<bool> BuildMissing(const env::Lock& lock, Observer* observer,
                            const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const bool there,
                             BuildsPackagesInCluster(context_, environment_, stop));
    if (!there) return false;
    KINETIC_ASSIGN_OR_RETURN(const bool stored,
                             ArePackagesStored(context_, environment_, lock, stop));
    if (stored) return false;
    KINETIC_RETURN_IF_ERROR(Build(lock, observer, stop));
    return true;
  }

  Status Build(const env::Lock& lock, Observer* observer, const std::stop_token& stop) {
    const env::BuildRequest build_request{.manifest = *environment_.manifest,
                                          .lock = lock,
                                          .base_digest = {},
                                          .renew = false,
                                          .prefix = Prefix()};
    return BuildInCluster(context_, environment_, build_request, observer, stop);
  }

  bool IsTooSlow(const Error& error) const {
    return error.code == ErrorCode::kDeadlineExceeded && estimator_ && estimator_->ExceedsLimit();
  }

  /// Fetches the missing packages in a pod. If no pod can, the upload from this machine continues
  /// without a time limit.
  Result<bool> ContinueInCluster(const env::Lock& lock, const Error& slow, Observer* observer,
                                 const std::stop_token& stop) {
    estimator_->DisableLimit();
    if (observer != nullptr) {
      observer->OnWarning(slow.message +
                          ": continuing in a pod of the cluster "
                          "(set package_builds=here to stay on this machine)");
    }
    const Status built = Build(lock, observer, stop);
    if (built) return true;
    if (built.error().code == ErrorCode::kCancelled) return Failure(built.error());
    if (observer != nullptr) {
      observer->OnWarning("cannot build the packages in the cluster, continuing on this machine: " +
                          built.error().message);
    }
    return false;
  }

  const Context& context_;
  const JobEnvironment& environment_;
  const std::unique_ptr<env::EnvironmentBuilder> builder_;
  const std::shared_ptr<env::UploadEstimator> estimator_;
};

}  // namespace

Result<bool> LockInCluster(const Context& context, JobEnvironment& environment,
                           const LockRequest& request, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const bool there, BuildsPackagesInCluster(context, environment, stop));
  if (!there) return false;
  const env::BuildRequest build_request{
      .manifest = *environment.manifest,
      .lock = std::nullopt,
      .base_digest = FindBaseDigest(context, *environment.base, request.observer, stop),
      .renew = request.relock,
      .prefix = request.with_packages ? Prefix() : ""};
  KINETIC_RETURN_IF_ERROR(
      BuildInCluster(context, environment, build_request, request.observer, stop));
  environment.built_in_cluster = true;
  return true;
}

std::unique_ptr<env::EnvironmentBuilder> WithClusterPackages(
    const Context& context, const JobEnvironment& environment,
    std::unique_ptr<env::EnvironmentBuilder> builder,
    std::shared_ptr<env::UploadEstimator> upload_estimator) {
  return std::make_unique<ClusterPackagesBuilder>(context, environment, std::move(builder),
                                                  std::move(upload_estimator));
}

Result<std::vector<Value>> DescribePackagesInCluster(const Context& context,
                                                     const JobEnvironment& environment, bool relock,
                                                     std::stop_token stop) {
  if (!environment.manifest) return std::vector<Value>();
  const bool resolves = !environment.lock || (relock && !environment.manifest->embedded_lock);
  if (!resolves && environment.ready) return std::vector<Value>();
  KINETIC_ASSIGN_OR_RETURN(const bool there, BuildsPackagesInCluster(context, environment, stop));
  if (!there) return std::vector<Value>();
  env::BuildRequest build_request{.manifest = *environment.manifest,
                                  .lock = std::nullopt,
                                  .base_digest = {},
                                  .renew = relock,
                                  .prefix = Prefix()};
  if (resolves) {
    build_request.base_digest = FindBaseDigest(context, *environment.base, nullptr, stop);
  } else {
    build_request.lock = environment.lock->lock;
    build_request.renew = false;
    KINETIC_ASSIGN_OR_RETURN(const bool stored,
                             ArePackagesStored(context, environment, *build_request.lock, stop));
    if (stored) return std::vector<Value>();
  }
  return context.target->package_builder()->DescribePackageBuild(
      LaunchOf(environment, build_request), std::move(stop));
}

}  // namespace kinetic::job
