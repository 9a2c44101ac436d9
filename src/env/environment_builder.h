#pragma once

#include "kinetic/observer.h"

#include "base/file_system.h"
#include "env/lock.h"

#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::env {

/// An environment that jobs can run in.
struct ReadyEnvironment {
  std::string id;      ///< environment id, 64 hex digits
  Path root;           ///< the virtual environment
  Path python;         ///< its interpreter
  bool built = false;  ///< made by this call, not found
};

/// Makes environments from locks. *virtualenv* implements it here; images and archives will.
///
/// @threads  safe to call concurrently, also from several processes: an environment is built once.
class EnvironmentBuilder {
 public:
  virtual ~EnvironmentBuilder() = default;

  /// The environment, if it is there.
  virtual Result<std::optional<ReadyEnvironment>> Find(const Lock& lock, std::stop_token stop) = 0;

  /// The environment, built when it is absent.
  /// @errors  kFailedPrecondition (the installer failed: its last lines, and where its whole log
  /// is) ·
  ///          kNotFound (no such Python) · kResourceExhausted (disk).
  virtual Result<ReadyEnvironment> Ensure(const Lock& lock, Observer* observer,
                                          std::stop_token stop) = 0;
};

}  // namespace kinetic::env
