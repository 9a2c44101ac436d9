#pragma once

#include "support/watched_store.h"

namespace kinetic::test {

/// A store in memory, for tests of what stands on the seam.
///
/// @threads  safe to call concurrently.
class MemoryStore final : public WatchedStore {
 public:
  /// `clock` outlives it.
  explicit MemoryStore(Clock& clock);
};

}  // namespace kinetic::test
