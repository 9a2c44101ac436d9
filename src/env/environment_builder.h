#pragma once

#include "kinetic/observer.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "env/lock.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::env {

/// An environment in the store.
struct EnvironmentTree {
  Digest digest;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

/// An environment that jobs can run in.
struct ReadyEnvironment {
  std::string id;      ///< environment id, 64 hex digits
  Path root;           ///< in a pod, the virtual environment; on this machine, its shared part
  Path python;         ///< its interpreter
  bool built = false;  ///< built by this call
  /// The tree that a pod unpacks as `root`; absent: local, or in an image.
  std::optional<EnvironmentTree> tree = {};
  /// The image that contains it at `root`: "registry/name:tag@sha256:…"; empty: none.
  std::string image = {};
};

/// Makes environments from locks: *virtualenv* on this machine, *archives* in the store, *layers*
/// in an image registry.
///
/// @threads  safe to call concurrently, also from several processes: an environment is built once.
class EnvironmentBuilder {
 public:
  virtual ~EnvironmentBuilder() = default;

  /// Returns the environment if it exists.
  virtual Result<std::optional<ReadyEnvironment>> Find(const Lock& lock, std::stop_token stop) = 0;

  /// Returns the environment, building it if necessary.
  /// @errors  kFailedPrecondition (the installer failed: its last lines, and the path of its log) ·
  ///          kNotFound (no such Python) · kResourceExhausted (disk).
  virtual Result<ReadyEnvironment> Ensure(const Lock& lock, Observer* observer,
                                          std::stop_token stop) = 0;
};

}  // namespace kinetic::env
