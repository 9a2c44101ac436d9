#include "kinetic/try.h"

#include "env/packages/built_wheels.h"
#include "env/resolve/resolver.h"
#include "record/object_names.h"
#include "store/object_store.h"

#include <utility>

namespace kinetic::env {
namespace {

constexpr std::size_t kMaxLockBytes = 64U << 20;
constexpr std::string_view kReplace =
    "replace it with 'kinetic run --relock' or 'kinetic lock --renew'";

Result<Lock> Checked(std::string_view json, const Digest& key, const store::Store& store) {
  auto lock = LockFromJson(json);
  const std::string name = store.Location() + "/" + record::LockName(key);
  if (!lock) {
    Error error = std::move(lock).error().Context("cannot read " + name);
    if (error.hint.empty()) error.hint = kReplace;
    return Failure(std::move(error));
  }
  if (lock->manifest_key != key) {
    return Fail(
        ErrorCode::kDataLoss,
        "cannot read " + name + ": it belongs to another manifest, " + lock->manifest_key.Hex(),
        std::string(kReplace));
  }
  return lock;
}

void WarnIfOld(const Lock& lock, const ToolOptions& tools, Observer* observer) {
  const auto age = tools.clock->Now() - lock.resolved_at;
  if (observer == nullptr || age <= kMaxLockAge) return;
  const auto days = std::chrono::duration_cast<std::chrono::hours>(age).count() / 24;
  observer->OnWarning("the lock of these dependencies is " + std::to_string(days) +
                      " days old; 'kinetic lock --renew' resolves them again");
}

}  // namespace

Result<std::optional<Lock>> FindLock(store::Store& store, const Digest& manifest_key,
                                     std::stop_token stop) {
  const std::string name = record::LockName(manifest_key);
  KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetAndRenew(store, name, kMaxLockBytes, stop));
  if (!json) return std::optional<Lock>();
  KINETIC_ASSIGN_OR_RETURN(Lock lock, Checked(*json, manifest_key, store));
  KINETIC_RETURN_IF_ERROR(RenewWheels(lock, store, stop));
  return std::optional<Lock>(std::move(lock));
}

Result<Lock> StoreLock(store::Store& store, const Lock& lock, std::stop_token stop) {
  const std::string name = record::LockName(lock.manifest_key);
  // The stored lock may be removed between the two calls: retry.
  for (int attempt = 0; attempt < 3; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto put, store::PutBytes(store, name, ToJson(lock),
                                                             store::Precondition::Absent(), stop));
    if (put) return lock;
    KINETIC_ASSIGN_OR_RETURN(auto found, FindLock(store, lock.manifest_key, stop));
    if (found) return *std::move(found);
  }
  return Fail(ErrorCode::kAborted,
              "cannot store " + name + ": other clients keep creating and removing it",
              "run the same command again");
}

Status ReplaceLock(store::Store& store, const Lock& lock, std::stop_token stop) {
  return store::Overwrite(store, record::LockName(lock.manifest_key), ToJson(lock),
                          std::move(stop));
}

Result<ObtainedLock> ObtainLock(store::Store& store, const Manifest& manifest,
                                const LockOptions& options, Observer* observer,
                                std::stop_token stop) {
  if (options.locked && options.relock) {
    return Fail(ErrorCode::kInvalidArgument, "locked and relock cannot be combined");
  }
  if (manifest.Empty()) {
    KINETIC_ASSIGN_OR_RETURN(Lock lock, Resolve(manifest, options.tools, observer, stop));
    return ObtainedLock{std::move(lock), false};
  }
  if (!options.relock) {
    KINETIC_ASSIGN_OR_RETURN(auto found, FindLock(store, manifest.Key(), stop));
    if (found) {
      if (!manifest.is_lock) WarnIfOld(*found, options.tools, observer);
      return ObtainedLock{*std::move(found), true};
    }
    if (options.locked && !manifest.is_lock) {
      return Fail(ErrorCode::kFailedPrecondition, manifest.source.native() + " is not locked yet",
                  "to lock it: kinetic lock");
    }
  }
  const std::string base_image = options.base_digest ? options.base_digest(stop) : "";
  KINETIC_ASSIGN_OR_RETURN(Lock lock, Resolve(manifest, options.tools, observer, stop));
  lock.base_image = base_image;
  KINETIC_RETURN_IF_ERROR(StoreWheels(lock, store, options.tools, stop));
  if (options.relock) {
    KINETIC_RETURN_IF_ERROR(ReplaceLock(store, lock, stop));
    return ObtainedLock{std::move(lock), false};
  }
  KINETIC_ASSIGN_OR_RETURN(Lock stored, StoreLock(store, lock, stop));
  return ObtainedLock{std::move(stored), false};
}

}  // namespace kinetic::env
