#pragma once

#include "kinetic/observer.h"

#include "env/dependencies/manifest.h"
#include "env/install/tool_options.h"
#include "env/resolve/lock.h"
#include "store/object_store.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::env {

/// An older lock is used all the same, and a warning says how to renew it.
inline constexpr std::chrono::hours kLockAgeBound{24 * 90};

/// The lock stored under a key. Nothing: there is none.
/// @errors  kDataLoss (what is stored is no lock for that key) · those of the store.
Result<std::optional<Lock>> FindLock(store::Store& store, const Digest& manifest_key,
                                     std::stop_token stop);

/// Stores a lock if there is none under its key; returns the one that is there in the end, so that
/// whoever is first decides for everybody.
Result<Lock> StoreLock(store::Store& store, const Lock& lock, std::stop_token stop);

/// Stores a lock in place of the one under its key.
Status ReplaceLock(store::Store& store, const Lock& lock, std::stop_token stop);

/// Manifest::own_lock, upon the image that `stored`, the lock under its key, has below it.
Lock OwnLockOn(const Manifest& manifest, const std::optional<Lock>& stored);

struct LockOptions {
  bool locked = false;  ///< use the lock that is there, never resolve
  bool relock = false;  ///< resolve anew
  ToolOptions tools;
  /// Asked for Lock::base_image when there is a new one; may be empty.
  std::function<std::string(const std::stop_token& stop)> base_digest = {};
  /// Has the lock resolved and stored by somebody else than this machine, or gives false: then it
  /// is to be resolved here. May be empty.
  std::function<Result<bool>(const std::stop_token& stop)> elsewhere = {};
};

struct ObtainedLock {
  Lock lock;
  bool from_store = false;  ///< found, not resolved now
};

/// The lock of a manifest: its own, the stored one, or one resolved and stored now. Where there is
/// an image below the packages, its own lock is stored too, for the digest of that image alone.
///
/// @errors  kFailedPrecondition (`locked` and there is none) · kInvalidArgument (`locked` and
///          `relock`) · those of Resolve or `elsewhere` and of the store.
Result<ObtainedLock> ObtainLock(store::Store& store, const Manifest& manifest,
                                const LockOptions& options, Observer* observer,
                                std::stop_token stop);

}  // namespace kinetic::env
