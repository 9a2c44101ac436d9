#pragma once

#include "kinetic/result.h"

#include "google/cloud_build/build.h"

#include <string>
#include <vector>

namespace kinetic::env {

/// What became of a build that has ended, for who wanted an image of it.
///
/// @param image       what was to be made.
/// @param last_lines  of its log; may be empty.
/// @errors  kFailedPrecondition (a step failed: which, and how; the source or the log could not be
///          had) · kPermissionDenied (it may not push) · kDeadlineExceeded (it took too long, or
///          waited too long for a machine) · kAborted (somebody cancelled it) · kUnavailable (a
///          fault of the service). Each names the build's page.
Status OutcomeOf(const google::Build& build, const std::string& image,
                 const std::vector<std::string>& last_lines);

}  // namespace kinetic::env
