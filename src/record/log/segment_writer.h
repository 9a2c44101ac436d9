#pragma once

#include "kinetic/job.h"

#include "record/job_key.h"
#include "store/object_store.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>

namespace kinetic::record {

/// Seals records into segments and stores them as the runner does.
///
/// @threads  one thread at a time.
class SegmentWriter {
 public:
  /// `store` must outlive this object.
  SegmentWriter(store::Store& store, JobKey job, std::stop_token stop)
      : store_(store), job_(std::move(job)), stop_(std::move(stop)) {}

  /// Adds a record. Stores the segment before it if that is full, or if records are missing between
  /// the two.
  ///
  /// @errors  those of Store.
  Status Add(const LogRecord& record);

  /// Stores the last segment.
  ///
  /// @errors  those of Store.
  Status Flush();

  /// Returns whether a write to the store failed.
  bool failed() const { return failed_; }

 private:
  store::Store& store_;
  const JobKey job_;
  std::stop_token stop_;
  std::string plain_;
  std::uint32_t attempt_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t next_ = 0;
  bool failed_ = false;
};

}  // namespace kinetic::record
