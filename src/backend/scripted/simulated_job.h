#pragma once

#include "kinetic/testing.h"

#include "backend/target.h"
#include "base/time/clock.h"
#include "record/job_record.h"
#include "record/status.h"
#include "store/object_store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::backend {

/// A job of a scripted target. It is running from the beginning.
///
/// @threads  one thread at a time; all const functions concurrently.
class SimulatedJob {
 public:
  /// @param now  when the job starts.
  SimulatedJob(const record::Record& record, ScriptedJob script, WallTime now, SteadyTime start);

  /// Returns when the job ends, or nullopt if it runs until it is cancelled.
  std::optional<SteadyTime> end() const { return end_; }

  /// Replaces the outcome by that of a cancelled job.
  void Cancel();

  /// Stores the outputs, the log, the value and the result, and updates the index.
  ///
  /// @errors  those of Store.
  Status Store(store::Store& store, WallTime now) const;

  /// Passes the log to `reader`, from a sequence number on.
  ///
  /// @errors  those of `reader`.
  Status ReadLog(std::uint64_t from_sequence, const LogRecordSink& reader) const;

  std::uint64_t log_records() const { return log_.size(); }

  /// @param has_ended  Store has returned.
  Observation Observe(bool has_ended) const;

 private:
  struct Line {
    Stream stream;
    std::string text;
  };

  void SplitLog();
  Status StoreOutputs(store::Store& store) const;
  Status StoreLog(store::Store& store) const;

  const JobSummary summary_;  ///< before the end
  ScriptedJob script_;
  const WallTime started_;
  std::optional<SteadyTime> end_;
  std::vector<Line> log_;
};

}  // namespace kinetic::backend
