#pragma once

#include "kinetic/timeline.h"
#include "kinetic/value.h"

#include "output/text.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace kinetic::cli {

/// The first and the last time of a timeline. A phase in progress lasts until `now`.
struct Period {
  Time begun;
  Time ended;
};
Period PeriodOf(const JobTimeline& timeline, Time now);

/// Returns the name of a span's phase: "package", and with several attempts "run 2".
std::string NameOf(const TimelineSpan& span, const JobTimeline& timeline);

/// Returns a bar for each span: spaces up to its beginning, and at least one mark. All bars have
/// the same scale.
///
/// @param columns  the width of the whole period, at least 1.
std::vector<std::string> TimelineBars(const JobTimeline& timeline, Time now, std::size_t columns);

/// Returns the lines that show a timeline: a heading, and one for each span.
///
/// @param columns  terminal columns; details are shortened to fit.
std::vector<std::string> TimelineLines(const JobTimeline& timeline, Time now, std::size_t columns);

/// Returns the document of `--json`. Times that are not known yet are null.
Value TimelineDocument(const JobTimeline& timeline, Time now);

/// Returns a document in the Trace Event Format: each phase as a complete event on a track of its
/// own, and each event as an instant. Times are microseconds since the first one.
///
/// @source  https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
Value TraceDocument(const JobTimeline& timeline, Time now);

}  // namespace kinetic::cli
