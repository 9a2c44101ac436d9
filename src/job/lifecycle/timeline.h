#pragma once

#include "kinetic/result.h"
#include "kinetic/timeline.h"

#include "job/context.h"
#include "record/job_record.h"
#include "record/status.h"

#include <stop_token>
#include <vector>

namespace kinetic::job {

/// What the timeline of a job is computed from.
struct RecordedTimes {
  const record::Record& record;
  std::vector<record::Moment> moments;  ///< of all attempts, by time
  JobState state = JobState::kPending;
  Phase phase = Phase::kQueue;  ///< the current phase of an unfinished job
};

/// Divides the time between the events of a job into phases.
JobTimeline MakeTimeline(const RecordedTimes& times);

/// Reads the times of a job from its record, its result and its target. The times of a pod's
/// scheduling and image are known only as long as the cluster keeps the pod.
///
/// @errors  kNotFound: the job was removed · kDataLoss: a damaged record or result · errors of
///          Store and Target.
Result<JobTimeline> ReadTimeline(Context& context, const JobSummary& known, std::stop_token stop);

}  // namespace kinetic::job
