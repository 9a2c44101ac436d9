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
  /// A moment by both clocks.
  struct Moment {
    WallTime wall;
    SteadyTime steady;
  };

  struct Line {
    std::uint32_t attempt;
    Stream stream;
    std::string text;
    Moment written;
  };

  explicit SimulatedJob(const record::Record& record);

  /// Starts the first attempt, or the next one after the end of another.
  void Begin(ScriptedJob script, const Moment& now);

  /// Returns when the attempt ends, or nullopt if it runs until it is cancelled.
  std::optional<SteadyTime> end() const { return end_; }
  const Outcome& outcome() const { return script_.outcome; }

  /// Ends the attempt now with the outcome of a cancelled job.
  void Cancel(SteadyTime now);
  /// Replaces the outcome by a failure of kinetic.
  void Fail(const Error& error);

  /// Stores the outputs, the log, the value and the result, and updates the index.
  ///
  /// @errors  those of Store.
  Status Store(store::Store& store, WallTime now) const;

  /// Returns the lines that are written until `now`, from a sequence number on.
  std::vector<Line> LogSince(std::uint64_t from_sequence, SteadyTime now) const;
  /// Returns when the line with this number is written, or nullopt if there is none.
  std::optional<SteadyTime> TimeOfLine(std::uint64_t sequence) const;

  /// @param has_ended  Store has returned.
  Observation Observe(bool has_ended, SteadyTime now) const;

 private:
  void AddLog(const ScriptedJob::LogText& text, const Moment& start);
  Status StoreOutputs(store::Store& store) const;
  Status StoreLog(store::Store& store) const;

  const JobSummary summary_;  ///< before the end
  ScriptedJob script_;        ///< of the attempt
  std::uint32_t attempt_ = 0;
  WallTime started_;  ///< the first attempt
  std::optional<SteadyTime> end_;
  std::vector<Line> log_;  ///< of all attempts, in the order of time
};

}  // namespace kinetic::backend
