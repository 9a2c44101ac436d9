#include "job/environment/make.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "env/packages/stored_packages.h"
#include "env/resolve/resolver.h"
#include "job/context.h"
#include "job/environment/builder.h"
#include "job/environment/image_records.h"
#include "job/environment/job_environment.h"
#include "job/environment/recent.h"
#include "pod/container.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace kinetic::job {
namespace {

void LogLock(const Context& context, const env::Manifest& manifest,
             const env::ObtainedLock& obtained) {
  const auto& lock = obtained.lock;
  const std::string how = manifest.Empty()      ? "empty: there are no dependencies"
                          : obtained.from_store ? "found in the store, resolved by " + lock.resolver
                                                : "resolved by " + lock.resolver;
  context.Log(LogLevel::kDebug, fmt::format("lock {}: {}", lock.manifest_key.Hex(), how));
}

/// Requests a node for a cluster job, in parallel with a build.
void RequestNode(const JobEnvironment& environment, const LockRequest& request) {
  if (request.provisioning != nullptr) request.provisioning->Request(environment.base->image);
}

}  // namespace

Status FindJobLock(Context& context, JobEnvironment& environment, std::stop_token stop) {
  if (!environment.manifest) return {};
  const env::Manifest& manifest = *environment.manifest;
  if (manifest.Empty()) {  // no index is queried
    KINETIC_ASSIGN_OR_RETURN(auto lock,
                             env::Resolve(manifest, ToolOptionsOf(context), nullptr, stop));
    environment.lock = env::ObtainedLock{std::move(lock), false};
    return {};
  }
  KINETIC_ASSIGN_OR_RETURN(auto stored, env::FindLock(*context.store, manifest.Key(), stop));
  if (stored) environment.lock = env::ObtainedLock{*std::move(stored), true};
  return {};
}

Status FindEnvironment(Context& context, JobEnvironment& environment, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(FindJobLock(context, environment, stop));
  if (!environment.lock) return {};
  KINETIC_ASSIGN_OR_RETURN(
      environment.ready,
      BuilderFor(context, environment, nullptr)->Find(environment.lock->lock, std::move(stop)));
  return {};
}

std::vector<std::string> ObjectsToMake(const Context& context, const JobEnvironment& environment) {
  std::vector<std::string> names;
  const auto& manifest = environment.manifest;
  if (!manifest) return names;
  if (!manifest->Empty()) names.push_back(record::LockName(manifest->Key()));
  if (!environment.base || !environment.lock || environment.ready) return names;
  if (BuildsImages(context)) return names;  // the objects are known only after the build
  for (auto& name :
       env::ArchiveObjects(environment.lock->lock, std::string(pod::kEnvironmentFolder))) {
    names.push_back(std::move(name));
  }
  return names;
}

Status LockEnvironment(Context& context, JobEnvironment& environment, const LockRequest& request,
                       std::stop_token stop) {
  if (!environment.manifest) return {};
  env::LockOptions options{
      .locked = request.locked, .relock = request.relock, .tools = ToolOptionsOf(context)};
  if (environment.base) {
    options.base_digest = [&](const std::stop_token& stopping) {
      RequestNode(environment, request);  // a new lock must be resolved
      return FindBaseDigest(context, *environment.base, request.observer, stopping);
    };
  }
  KINETIC_ASSIGN_OR_RETURN(environment.lock,
                           env::ObtainLock(*context.store, *environment.manifest, options,
                                           request.observer, std::move(stop)));
  LogLock(context, *environment.manifest, *environment.lock);
  return {};
}

namespace {

Result<bool> EnvironmentExists(const Context& context, const env::ReadyEnvironment& ready,
                               bundle::ContentLease& lease, const std::stop_token& stop) {
  if (!ready.image.empty()) return HasImage(context, ready.image, stop);
  return lease.ReuseTree(ready.tree->digest, stop);
}

/// Finds the environment in the store or in an image, or builds it.
Result<env::ReadyEnvironment> ObtainEnvironment(const Context& context,
                                                const JobEnvironment& environment,
                                                bundle::ContentLease& lease,
                                                const LockRequest& request,
                                                const std::stop_token& stop) {
  const auto builder = BuilderFor(context, environment, request.observer);
  const env::Lock& lock = environment.lock->lock;
  KINETIC_ASSIGN_OR_RETURN(auto found, builder->Find(lock, stop));
  if (found) {
    if (!found->image.empty()) return *std::move(found);
    KINETIC_ASSIGN_OR_RETURN(const bool there, lease.ReuseTree(found->tree->digest, stop));
    if (there) return *std::move(found);
  }
  RequestNode(environment, request);
  KINETIC_ASSIGN_OR_RETURN(auto ready, builder->Ensure(lock, request.observer, stop));
  KINETIC_ASSIGN_OR_RETURN(const bool there, EnvironmentExists(context, ready, lease, stop));
  if (there) return ready;
  return Fail(ErrorCode::kAborted, "the environment was removed from the store while it was built");
}

/// Same as EnvironmentExists, for a recently used environment. If both forms are allowed, an image
/// in an unreachable registry counts as missing.
Result<bool> RecentEnvironmentExists(const Context& context,
                                     const std::optional<RecentEnvironment>& recent,
                                     bundle::ContentLease& lease, const std::stop_token& stop) {
  if (!recent) return false;
  auto there = EnvironmentExists(context, recent->ready, lease, stop);
  const bool may_do_without = !recent->ready.image.empty() && !BuildsImages(context);
  if (there || !may_do_without || there.error().code == ErrorCode::kCancelled) return there;
  return false;
}

/// Builds an image of an environment that pods have unpacked several times, if the profile allows
/// both forms.
Status BuildImageIfOftenUsed(Context& context, JobEnvironment& environment, std::uint64_t& uses,
                             const LockRequest& request, const std::stop_token& stop) {
  constexpr std::uint64_t kUsesBeforeImage = 3;
  if (!environment.ready->image.empty() || !MayBuildImages(context)) return {};
  if (++uses < kUsesBeforeImage) return {};
  uses = 0;
  RequestNode(environment, request);
  auto image =
      ImageBuilderFor(context, environment)->Ensure(environment.lock->lock, request.observer, stop);
  if (image) {
    environment.ready = *std::move(image);
    return {};
  }
  if (image.error().code == ErrorCode::kCancelled) return Failure(std::move(image).error());
  if (request.observer != nullptr) {
    request.observer->OnWarning("cannot build an image, so pods unpack the packages: " +
                                image.error().message);
  }
  return {};
}

/// Obtains the lock, and concurrently checks that the environment that it probably leads to exists.
Status MakeClusterEnvironment(Context& context, JobEnvironment& environment,
                              bundle::ContentLease& lease, const LockRequest& request,
                              const std::stop_token& stop) {
  const RecentEnvironments cache(context);
  const Digest key = environment.manifest->Key();
  const auto recent = cache.Find(key);
  bool exists = false;
  const bool is_recorded = !recent || !NeedsUseRecord(context, *recent);
  constexpr std::size_t kAll = 3;
  const auto run = [&](std::size_t part, const std::stop_token& stopping) -> Status {
    if (part == 0) return LockEnvironment(context, environment, request, stopping);
    if (part == 2) {
      return is_recorded ? Status() : RecordImageUse(context, recent->ready.image, stopping);
    }
    KINETIC_ASSIGN_OR_RETURN(exists, RecentEnvironmentExists(context, recent, lease, stopping));
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kAll, kAll, stop, run));
  std::uint64_t uses = 0;
  if (exists && recent->ready.id == environment.lock->lock.EnvironmentId().Hex()) {
    environment.ready = recent->ready;
    uses = recent->uses;
  } else {
    KINETIC_ASSIGN_OR_RETURN(environment.ready,
                             ObtainEnvironment(context, environment, lease, request, stop));
  }
  KINETIC_RETURN_IF_ERROR(BuildImageIfOftenUsed(context, environment, uses, request, stop));
  const bool is_known = exists && recent->ready.id == environment.ready->id &&
                        recent->ready.image == environment.ready->image && recent->uses == uses;
  if (is_known && is_recorded) return {};
  if (!is_known && !environment.ready->image.empty()) {
    KINETIC_RETURN_IF_ERROR(RecordImageUse(context, environment.ready->image, stop));
  }
  cache.Keep(key, {*environment.ready, uses, context.clock.Now()});
  return {};
}

/// Obtains the lock, and its environment folder on this machine.
Status MakeLocalEnvironment(Context& context, JobEnvironment& environment,
                            const LockRequest& request, const std::stop_token& stop) {
  KINETIC_RETURN_IF_ERROR(LockEnvironment(context, environment, request, stop));
  KINETIC_ASSIGN_OR_RETURN(environment.ready,
                           BuilderFor(context, environment, request.observer)
                               ->Ensure(environment.lock->lock, request.observer, stop));
  return {};
}

std::string EnvironmentLocation(const Context& context, const env::ReadyEnvironment& ready) {
  if (!ready.image.empty()) return ready.image;
  return ready.tree ? context.store->Location() : ready.root.native();
}

}  // namespace

Status MakeEnvironment(Context& context, JobEnvironment& environment, bundle::ContentLease& lease,
                       const LockRequest& request, std::stop_token stop) {
  if (!environment.manifest) return {};
  KINETIC_RETURN_IF_ERROR(environment.base
                              ? MakeClusterEnvironment(context, environment, lease, request, stop)
                              : MakeLocalEnvironment(context, environment, request, stop));
  const auto& ready = *environment.ready;
  context.Log(LogLevel::kDebug,
              fmt::format("environment {} {} {}", ready.id, ready.built ? "built in" : "found in",
                          EnvironmentLocation(context, ready)));
  return {};
}

}  // namespace kinetic::job
