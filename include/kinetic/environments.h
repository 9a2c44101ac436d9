#pragma once

#include "kinetic/environment.h"
#include "kinetic/result.h"

#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

class Observer;
struct JobSpec;

struct LockOptions {
  bool relock = false;           ///< replace an existing lock
  Observer* observer = nullptr;  ///< outlives the call; may be null
};

/// The Python environments of jobs, and their locks: `client.environments().Lock(spec)`. Shares the
/// client's connection and keeps it open.
///
/// @threads  safe to call concurrently.
class KINETIC_EXPORT Environments {
 public:
  /// Resolves the job's dependencies and stores the lock.
  ///
  /// @errors  kInvalidArgument (spec, dependency file) · kFailedPrecondition (no dependencies; they
  ///          cannot be resolved) · kNotFound (no interpreter) · errors of the store.
  Result<EnvironmentLock> Lock(const JobSpec& spec, const LockOptions& options = {},
                               std::stop_token stop = {});
  /// Explains what determines the job's environment, and whether it is built. Changes nothing.
  ///
  /// @errors  kInvalidArgument (spec, dependency file) · kNotFound (no interpreter) · errors of the
  ///          store.
  Result<EnvironmentExplanation> Explain(const JobSpec& spec, std::stop_token stop = {});

  /// Explains why a package is in the job's lock. Returns the package, and then the packages that
  /// require it, directly or not. Resolves the dependencies again with the versions of the lock,
  /// and stores nothing.
  ///
  /// @param package  in any spelling.
  /// @errors  kInvalidArgument (spec, dependency file) · kFailedPrecondition (no dependencies, no
  ///          lock) · kNotFound (the package; no interpreter) · kUnavailable (the index) · errors
  ///          of the store.
  Result<std::vector<PackageOrigin>> Why(const JobSpec& spec, std::string_view package,
                                         std::stop_token stop = {});

  /// Lists the environments on this machine, most recently used first.
  ///
  /// @errors  kPermissionDenied (the cache) · kCancelled.
  Result<std::vector<EnvironmentSummary>> List(std::stop_token stop = {});
  /// Removes environments from this machine. A job that needs one creates it again.
  ///
  /// @param ids  may be unique prefixes.
  /// @errors     kNotFound · kInvalidArgument (a prefix is not unique) · kFailedPrecondition (an
  ///             environment is in use); then none was removed.
  Result<std::vector<EnvironmentSummary>> Remove(const std::vector<std::string>& ids,
                                                 std::stop_token stop = {});

 private:
  friend class Client;
  struct Impl;
  explicit Environments(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kinetic::inline v0
