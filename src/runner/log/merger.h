#pragma once

#include "kinetic/result.h"

#include "record/job_key.h"
#include "store/object_store.h"

#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

namespace kinetic::runner {

/// Limits the number of objects of a long log: eight adjacent objects of similar length are merged
/// under the name of the first one. A log of n sealed segments has at most seven objects per power
/// of eight up to n, and each byte is copied once per power.
///
/// @threads  one thread at a time.
class LogMerger {
 public:
  LogMerger(store::Store& store, record::JobKey job) : store_(store), job_(std::move(job)) {}

  /// Adds a stored sealed segment, and merges where eight are ready. Call in segment order.
  ///
  /// @param next  number after its last record.
  /// @errors  those of Store; objects that could not be merged stay as they are.
  Status Add(store::ObjectInfo info, std::uint64_t next, std::stop_token stop);

  /// Forgets all objects, because the next segment belongs to another attempt.
  void Reset() { objects_.clear(); }

 private:
  struct Object {
    store::ObjectInfo info;
    std::uint64_t next = 0;
    int merges = 0;  ///< how often it was merged
  };

  bool ShouldMerge() const;
  Status Merge(const std::stop_token& stop);

  store::Store& store_;
  const record::JobKey job_;
  std::vector<Object> objects_;
};

}  // namespace kinetic::runner
