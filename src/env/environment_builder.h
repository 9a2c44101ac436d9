#pragma once

#include "kinetic/observer.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "env/resolve/lock.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::env {

/// An environment as it is in the store.
struct EnvironmentTree {
  Digest digest;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

/// An environment that jobs can run in.
struct ReadyEnvironment {
  std::string id;      ///< environment id, 64 hex digits
  Path root;           ///< the virtual environment, where jobs run
  Path python;         ///< its interpreter
  bool built = false;  ///< made by this call, not found
  /// What a pod unpacks as `root`; absent: it is on this machine, or in an image.
  std::optional<EnvironmentTree> tree = {};
  /// The image that has it at `root`: "registry/name:tag@sha256:…"; empty: none has.
  std::string image = {};
};

/// Makes environments from locks: *virtualenv* on this machine, *archives* in the store, *layers*
/// in a registry of images.
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
