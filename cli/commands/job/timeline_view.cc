#include "commands/job/timeline_view.h"

#include "output/phase_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinetic::cli {
namespace {

constexpr std::size_t kPhaseColumns = 11;  // "provision 2"
constexpr std::size_t kTimeColumns = 8;
constexpr std::size_t kGap = 2;
constexpr std::size_t kFixedColumns = kPhaseColumns + 2 * (kTimeColumns + 1) + kGap;

Time EndOf(const TimelineSpan& span, Time now) {
  return std::max(span.ended.value_or(now), span.begun);
}

std::size_t LongestDetail(const JobTimeline& timeline) {
  std::size_t longest = 0;
  for (const TimelineSpan& span : timeline.spans)
    longest = std::max(longest, DisplayWidth(OneLine(span.detail)));
  return longest;
}

/// Returns the columns of the bars. Details get at most a third of the line.
std::size_t BarColumns(const JobTimeline& timeline, std::size_t columns) {
  constexpr std::size_t kMin = 8;
  constexpr std::size_t kMax = 60;
  const std::size_t details = std::min(LongestDetail(timeline) + kGap, columns / 3);
  const std::size_t used = kFixedColumns + details;
  return std::clamp(columns > used ? columns - used : 0, kMin, kMax);
}

}  // namespace

Period PeriodOf(const JobTimeline& timeline, Time now) {
  Period period{Time::max(), Time::min()};
  for (const TimelineSpan& span : timeline.spans) {
    period.begun = std::min(period.begun, span.begun);
    period.ended = std::max(period.ended, EndOf(span, now));
  }
  for (const TimelineEvent& event : timeline.events) {
    period.begun = std::min(period.begun, event.time);
    period.ended = std::max(period.ended, event.time);
  }
  return period.begun > period.ended ? Period{now, now} : period;
}

std::string NameOf(const TimelineSpan& span, const JobTimeline& timeline) {
  const std::string name(PhaseName(span.phase));
  const bool repeats = !timeline.spans.empty() && timeline.spans.back().attempt > 1;
  return repeats && span.attempt > 0 ? fmt::format("{} {}", name, span.attempt) : name;
}

std::vector<std::string> TimelineBars(const JobTimeline& timeline, Time now, std::size_t columns) {
  const Period period = PeriodOf(timeline, now);
  const double total = std::chrono::duration<double>(period.ended - period.begun).count();
  const auto column_of = [&](Time time) {
    const double offset = std::chrono::duration<double>(time - period.begun).count();
    const double share = total > 0 ? offset / total : 0;
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(columns)));
  };
  std::vector<std::string> bars;
  for (const TimelineSpan& span : timeline.spans) {
    const std::size_t begin = std::min(column_of(span.begun), columns - 1);
    const std::size_t end = std::max(column_of(EndOf(span, now)), begin + 1);
    bars.push_back(std::string(begin, ' ') + std::string(end - begin, '#'));
  }
  return bars;
}

std::vector<std::string> TimelineLines(const JobTimeline& timeline, Time now, std::size_t columns) {
  const Period period = PeriodOf(timeline, now);
  const std::size_t width = BarColumns(timeline, columns);
  const std::vector<std::string> bars = TimelineBars(timeline, now, width);
  const std::size_t used = kFixedColumns + width + kGap;
  std::vector<std::string> lines{fmt::format("{:<{}} {:>{}} {:>{}}", "PHASE", kPhaseColumns, "AT",
                                             kTimeColumns, "TOOK", kTimeColumns)};
  for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
    const TimelineSpan& span = timeline.spans[i];
    std::string line =
        fmt::format("{:<{}} {:>{}} {:>{}}  {:<{}}", NameOf(span, timeline), kPhaseColumns,
                    FormatDuration(span.begun - period.begun), kTimeColumns,
                    FormatDuration(EndOf(span, now) - span.begun), kTimeColumns, bars[i], width);
    const std::string detail = span.ended ? OneLine(span.detail) : "in progress";
    if (columns > used) line += "  " + Shortened(detail, columns - used, false);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace kinetic::cli
