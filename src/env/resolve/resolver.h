#pragma once

#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "env/dependencies/manifest.h"
#include "env/lock.h"
#include "env/tool_options.h"
#include "store/object_store.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Resolves a manifest to a lock with uv, which reads the manifest's files with the project's
/// settings. Packages from git repositories and folders are built, and the lock pins the wheel.
/// Without dependencies, the lock is empty and uv does not run. For a pod, uv resolves for the
/// pod's Python version and platform, and can run with any Python of this machine.
///
/// @errors  kFailedPrecondition (no such package or version, a conflict, a failed build: with the
///          resolver's own words, and the path of its log in the hint; no file has a listed hash) ·
///          kInvalidArgument (a package from a folder that is not part of the key) ·
///          kNotFound (no such Python) · kUnavailable (the index) · kCancelled.
/// @threads safe to call concurrently.
Result<Lock> Resolve(const Manifest& manifest, const ToolOptions& tools, Observer* observer,
                     std::stop_token stop);

/// Older locks cause a warning.
inline constexpr std::chrono::hours kMaxLockAge{24 * 90};

/// Returns the lock stored under a key, or nullopt. Renews the leases of the lock and of its built
/// wheels.
///
/// @errors  kDataLoss (the object is not a lock for that key) · those of the store.
Result<std::optional<Lock>> FindLock(store::Store& store, const Digest& manifest_key,
                                     std::stop_token stop);

/// Stores a lock unless its key has one. Returns the stored lock, which is the same for all
/// clients.
Result<Lock> StoreLock(store::Store& store, const Lock& lock, std::stop_token stop);

/// Stores a lock, replacing the one under its key.
Status ReplaceLock(store::Store& store, const Lock& lock, std::stop_token stop);

/// Returns the full URLs to install a lock: Manifest::private_urls, and files of the project.
PrivateUrls InstallUrls(const Manifest& manifest, const Lock& lock);

struct LockOptions {
  bool locked = false;  ///< require an existing lock, or a file that is one
  bool relock = false;  ///< resolve even if there is a lock
  ToolOptions tools;
  /// Returns Lock::base_image for a new lock; may be empty.
  std::function<std::string(const std::stop_token& stop)> base_digest = {};
};

struct ObtainedLock {
  Lock lock;
  bool from_store = false;  ///< not resolved by this call
};

/// Returns the lock of a manifest: the stored one, or a new one, which is stored.
///
/// @errors  kFailedPrecondition (`locked` and there is none) · kInvalidArgument (`locked` and
///          `relock`) · those of Resolve and the store.
Result<ObtainedLock> ObtainLock(store::Store& store, const Manifest& manifest,
                                const LockOptions& options, Observer* observer,
                                std::stop_token stop);

}  // namespace kinetic::env
