#pragma once

#include "base/clock.h"
#include "env/environment_builder.h"
#include "job/context.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace kinetic::job {

/// In the cache: which environment a manifest led to.
inline constexpr std::string_view kKnownEnvironmentsFolder = "known-environments";

struct KnownEnvironment {
  env::ReadyEnvironment ready;
  std::uint64_t uses = 0;  ///< by jobs of this machine, since it was unpacked by pods
  WallTime noted;          ///< of an image: when the store was told that it is used
};

/// The environments, in a store or in images, that jobs of this machine had, by manifest key: what
/// a lock most likely leads to can be confirmed while the lock is read. Both are one flight of
/// requests then.
class KnownEnvironments {
 public:
  explicit KnownEnvironments(const Context& context) : context_(context) {}

  /// Nothing: there was none, or another kinetic wrote of it.
  std::optional<KnownEnvironment> Find(const Digest& manifest_key) const;

  /// A cache that cannot be written makes the next run slower, no more.
  void Keep(const Digest& manifest_key, const KnownEnvironment& known) const;

 private:
  Path FileOf(const Digest& manifest_key) const;

  const Context& context_;
};

}  // namespace kinetic::job
