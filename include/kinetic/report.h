#pragma once

#include "kinetic/error.h"
#include "kinetic/job.h"

#include <iosfwd>
#include <string>

namespace kinetic::inline v0 {

/// Writes an error for a person, as the command `kinetic` does: "error: " and the message, and
/// "hint: " and the hint, each on lines of its own.
KINETIC_EXPORT void Report(std::ostream& out, const Error& error);

/// Writes why a job failed: the exception with its traceback, or an error. Writes nothing for a job
/// that succeeded.
KINETIC_EXPORT void Report(std::ostream& out, const Outcome& outcome);

/// Returns what Report writes.
///
/// @param color  whether to color the labels with ANSI sequences.
KINETIC_EXPORT std::string ReportText(const Error& error, bool color = false);
KINETIC_EXPORT std::string ReportText(const Outcome& outcome, bool color = false);

}  // namespace kinetic::inline v0
