#pragma once

#include "kinetic/job_difference.h"
#include "kinetic/result.h"
#include "kinetic/timeline.h"

#include "bundle/format/tree.h"
#include "job/context.h"

#include <stop_token>
#include <vector>

namespace kinetic::job {

/// A job and the context of its target. Both outlive the call that takes them.
struct JobInContext {
  Context& context;
  const JobSummary& job;
};

/// Compares two jobs of one store: their records, the trees and locks that these name, and their
/// timelines. Values of environment variables and secrets are not part of the result.
///
/// @errors  kNotFound: a job was removed · kFailedPrecondition: the code of a job is not in the
///          store · kDataLoss · errors of Store and Target.
Result<JobDifference> CompareJobs(const JobInContext& before, const JobInContext& now,
                                  const CompareOptions& options, std::stop_token stop);

/// Returns the differences between the files of two trees, by path.
std::vector<JobDifference::File> CompareTrees(const bundle::Tree& before, const bundle::Tree& now);

/// Returns the total duration of each phase that one of the jobs has recorded. Excludes phases
/// in progress.
std::vector<JobDifference::Duration> CompareDurations(const JobTimeline& before,
                                                      const JobTimeline& now);

}  // namespace kinetic::job
