#include "commands/job/timeline_view.h"
#include "documents.h"

#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

std::int64_t Micros(std::chrono::nanoseconds duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

Value SpanDocument(const TimelineSpan& span, Time now) {
  return Value::Map{{"phase", std::string(Name(span.phase))},
                    {"attempt", span.attempt == 0 ? Value() : Number(span.attempt)},
                    {"begun", FormatTime(span.begun)},
                    {"ended", span.ended ? Value(FormatTime(*span.ended)) : Value()},
                    {"seconds", Seconds(span.ended.value_or(now) - span.begun)},
                    {"detail", TextOrNull(span.detail)}};
}

/// The track of a phase. Phases of the client may overlap, and events of one track may not.
int TrackOf(const TimelineSpan& span) { return static_cast<int>(span.phase) + 1; }
constexpr int kEventTrack = static_cast<int>(Phase::kCollect) + 2;

Value NamedTrack(int track, std::string_view name) {
  return Value::Map{{"name", "thread_name"},
                    {"ph", "M"},
                    {"pid", 1},
                    {"tid", track},
                    {"args", Value::Map{{"name", std::string(name)}}}};
}

Value SpanEvent(const TimelineSpan& span, const JobTimeline& timeline, const Period& period) {
  Value::Map arguments;
  if (span.attempt > 0) arguments.emplace_back("attempt", Number(span.attempt));
  if (!span.detail.empty()) arguments.emplace_back("detail", span.detail);
  return Value::Map{{"name", NameOf(span, timeline)},
                    {"cat", span.attempt == 0 ? "client" : "job"},
                    {"ph", "X"},
                    {"ts", Micros(span.begun - period.begun)},
                    {"dur", Micros(span.ended.value_or(period.ended) - span.begun)},
                    {"pid", 1},
                    {"tid", TrackOf(span)},
                    {"args", std::move(arguments)}};
}

Value InstantEvent(const TimelineEvent& event, const Period& period) {
  Value::Map arguments;
  if (!event.detail.empty()) arguments.emplace_back("detail", event.detail);
  return Value::Map{{"name", event.name},
                    {"cat", "event"},
                    {"ph", "i"},
                    {"s", "t"},
                    {"ts", Micros(event.time - period.begun)},
                    {"pid", 1},
                    {"tid", kEventTrack},
                    {"args", std::move(arguments)}};
}

}  // namespace

Value TimelineDocument(const JobTimeline& timeline, Time now) {
  const Period period = PeriodOf(timeline, now);
  Value::List phases;
  for (const TimelineSpan& span : timeline.spans) phases.push_back(SpanDocument(span, now));
  Value::List events;
  for (const TimelineEvent& event : timeline.events)
    events.emplace_back(Value::Map{{"event", event.name},
                                   {"time", FormatTime(event.time)},
                                   {"detail", TextOrNull(event.detail)}});
  return Value::Map{{"id", timeline.id},
                    {"state", std::string(Name(timeline.state))},
                    {"begun", FormatTime(period.begun)},
                    {"seconds", Seconds(period.ended - period.begun)},
                    {"phases", std::move(phases)},
                    {"events", std::move(events)}};
}

Value TraceDocument(const JobTimeline& timeline, Time now) {
  const Period period = PeriodOf(timeline, now);
  Value::List events;
  events.emplace_back(Value::Map{{"name", "process_name"},
                                 {"ph", "M"},
                                 {"pid", 1},
                                 {"args", Value::Map{{"name", "job " + timeline.id}}}});
  int named = 0;
  for (int track = 1; track < kEventTrack; ++track) {
    for (const TimelineSpan& span : timeline.spans) {
      if (TrackOf(span) != track) continue;
      if (named < track) events.push_back(NamedTrack(track, Name(span.phase)));
      named = track;
      events.push_back(SpanEvent(span, timeline, period));
    }
  }
  events.push_back(NamedTrack(kEventTrack, "events"));
  for (const TimelineEvent& event : timeline.events) events.push_back(InstantEvent(event, period));
  return Value::Map{
      {"traceEvents", std::move(events)},
      {"displayTimeUnit", "ms"},
      {"otherData", Value::Map{{"job", timeline.id}, {"begun", FormatTime(period.begun)}}}};
}

}  // namespace kinetic::cli
