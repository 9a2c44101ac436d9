#pragma once

#include "kinetic/result.h"

#include "store/store.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace kinetic::runner {

/// Keeps the number of objects of a long log small: eight that follow each other and are about as
/// long become one, under the name of the first. So a log of n sealed segments is at most seven
/// objects for each power of eight up to n, and each byte is moved once for each.
///
/// @threads  one thread at a time.
class LogMerger {
 public:
  explicit LogMerger(store::Store& store) : store_(store) {}

  /// Takes note of a sealed segment that was stored, and joins what is to be joined. Segments of
  /// one attempt, in their order.
  ///
  /// @param next  the number after its last record.
  /// @errors  those of Store; what could not be joined stays as it is.
  Status Add(store::ObjectInfo info, std::uint64_t next, std::stop_token stop);

  /// What follows does not go on where the last one ended: another attempt.
  void Break() { objects_.clear(); }

 private:
  struct Object {
    store::ObjectInfo info;
    std::uint64_t next = 0;
    int joins = 0;  ///< how often it was joined
  };

  bool IsToBeJoined() const;
  Status Join(const std::stop_token& stop);

  store::Store& store_;
  std::vector<Object> objects_;
};

}  // namespace kinetic::runner
