#pragma once

#include "base/time/clock.h"
#include "env/environment_builder.h"
#include "job/context.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace kinetic::job {

/// Cache folder that maps manifests to environments.
inline constexpr std::string_view kRecentEnvironmentsFolder = "known-environments";

struct RecentEnvironment {
  env::ReadyEnvironment ready;
  std::uint64_t uses = 0;  ///< number of jobs of this machine since pods unpacked it
  WallTime use_recorded;   ///< for an image: when its use was last recorded in the store
};

/// Caches, by manifest key, the environments in a store or in images that jobs of this machine
/// used. The environment that a lock probably leads to can be confirmed while the lock is read, so
/// both take one round trip.
class RecentEnvironments {
 public:
  explicit RecentEnvironments(const Context& context) : context_(context) {}

  /// Returns nullopt if there is no entry, or if another version of kinetic wrote it.
  std::optional<RecentEnvironment> Find(const Digest& manifest_key) const;

  /// Writes an entry. Write errors are ignored, because a missing entry only makes the next run
  /// slower.
  void Keep(const Digest& manifest_key, const RecentEnvironment& known) const;

 private:
  Path FileOf(const Digest& manifest_key) const;

  const Context& context_;
};

}  // namespace kinetic::job
