#pragma once

#include "kinetic/job.h"
#include "kinetic/observer.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::inline v0 {

/// A period of a job's life: one phase of one attempt.
struct TimelineSpan {
  Phase phase = Phase::kRun;
  /// From 1. 0: a phase of the client, before the job was submitted. These may overlap.
  std::uint32_t attempt = 0;
  std::chrono::system_clock::time_point begun;
  std::optional<std::chrono::system_clock::time_point> ended;  ///< absent: still in progress
  std::string detail;  ///< "42 files, 1.2 MiB"; may be empty
};

/// An event that was recorded when it happened.
struct TimelineEvent {
  std::string name;  ///< "claimed", "unpacked", "started", "scheduled"
  std::chrono::system_clock::time_point time;
  std::string detail;  ///< "node-7"; may be empty
};

/// The phases of a job with their times, as far as they are recorded.
struct JobTimeline {
  std::string id;
  JobState state = JobState::kPending;
  std::vector<TimelineSpan> spans;    ///< by beginning
  std::vector<TimelineEvent> events;  ///< by time, the submission first
};

}  // namespace kinetic::inline v0
