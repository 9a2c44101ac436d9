#pragma once

#include "support/watched_store.h"

namespace kinetic::test {

/// Returns a store in memory.
///
/// @threads  safe to call concurrently.
class MemoryStore final : public WatchedStore {
 public:
  /// `clock` outlives it.
  explicit MemoryStore(Clock& clock);
};

}  // namespace kinetic::test
