#pragma once

#include "job/context.h"

#include <stop_token>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// The job with this id, or the only one whose id begins with it, as the index has it.
///
/// @errors  kInvalidArgument (not an id; several jobs, which are named) · kNotFound.
Result<JobSummary> FindJob(Context& context, std::string_view id, std::stop_token stop);

/// Of several index entries of one job leaves its own alone: the others are of submissions that
/// were interrupted before they wrote its record, and that somebody repeated.
Status LeaveOutTwins(Context& context, std::vector<JobSummary>& jobs, const std::stop_token& stop);

/// The record of the newest job of a name; nothing when there is none.
Result<std::optional<record::Record>> LastJobNamed(Context& context, std::string_view name,
                                                   std::stop_token stop);

/// Removes a job that has ended: its objects, and what the target keeps. Its outputs stay.
/// @errors  kFailedPrecondition: it has not ended.
Status RemoveJob(Context& context, const JobSummary& job, std::stop_token stop);

}  // namespace kinetic::job
