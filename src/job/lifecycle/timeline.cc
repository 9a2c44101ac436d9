#include "job/lifecycle/timeline.h"

#include "kinetic/try.h"

#include "job/lifecycle/outcome.h"
#include "job/recorded_job.h"
#include "job/summary.h"
#include "record/object_names.h"
#include "record/outcome.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace kinetic::job {
namespace {

/// Sorts a short list. std::stable_sort of libstdc++ calls a deprecated function.
template <typename T, typename Less>
void SortStably(std::vector<T>& items, Less less) {
  for (auto next = items.begin(); next != items.end(); ++next) {
    std::rotate(std::upper_bound(items.begin(), next, *next, less), next, std::next(next));
  }
}

constexpr std::string_view kClaimed = "claimed";
constexpr std::string_view kLost = "lost";

/// The events of a job that does not run yet, as its runner records them. Their order varies.
constexpr std::array<std::string_view, 4> kPreparing{kClaimed, "fetched", "unpacked", "restored"};

/// The events of a pod that its runner does not record.
constexpr std::array<std::string_view, 7> kBeforeRunner{
    "created", "given up", "admitted", "scheduled", "pulling", "pulled", "collector started"};

template <typename Names>
bool Contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Names the phase that ends with an event.
struct PhaseEnd {
  std::string_view event;
  Phase phase;
};

constexpr std::array<PhaseEnd, 20> kPhaseEnds{{{"created", Phase::kSubmit},
                                               {"given up", Phase::kProvision},
                                               {"admitted", Phase::kQueue},
                                               {"scheduled", Phase::kProvision},
                                               {"pulling", Phase::kPull},
                                               {"pulled", Phase::kPull},
                                               {"collector started", Phase::kStart},
                                               {"dequeued", Phase::kQueue},
                                               {kClaimed, Phase::kPull},
                                               {"fetched", Phase::kPull},
                                               {"unpacked", Phase::kPull},
                                               {"restored", Phase::kPull},
                                               {"started", Phase::kStart},
                                               {"returned", Phase::kRun},
                                               {"terminated", Phase::kRun},
                                               {"ended", Phase::kRun},
                                               {kLost, Phase::kRun},
                                               {"retried", Phase::kCollect},
                                               {"collected", Phase::kCollect},
                                               {"finished", Phase::kCollect}}};

/// Builds the spans of the attempts, each of which begins where the previous one ends.
class SpanBuilder {
 public:
  /// @param cancelled  the job was cancelled. If that was in the queue, it has no event before.
  SpanBuilder(WallTime begun, bool cancelled, std::vector<TimelineSpan>& spans)
      : cursor_(begun), cancelled_(cancelled), spans_(spans) {}

  void Add(const record::Moment& moment) {
    const auto known = std::ranges::find(kPhaseEnds, moment.name, &PhaseEnd::event);
    if (known == kPhaseEnds.end()) return;
    const bool in_queue = cancelled_ && !has_left_queue_ && known->phase == Phase::kCollect;
    const bool begins = BeginsAttempt(moment);
    const Phase phase = begins || in_queue ? PhaseBeforeRunner() : known->phase;
    // The clock of a server may be behind, or have whole seconds.
    const WallTime ended = std::max(moment.time, cursor_);
    AddSpan(phase, ended, in_queue && !begins ? std::string() : moment.detail);
    cursor_ = ended;
    has_left_queue_ = true;
    in_pod_ = in_pod_ || Contains(kBeforeRunner, moment.name);
    if (moment.name == "retried") BeginNextAttempt();
  }

  void AddOpen(Phase phase) { AddSpan(phase, std::nullopt, {}); }

 private:
  /// Returns whether this is the first event that the runner records of an attempt.
  bool BeginsAttempt(const record::Moment& moment) {
    const bool prepares = Contains(kPreparing, moment.name);
    const bool begins = prepares && !preparing_;
    if (begins && has_attempt_) BeginNextAttempt();
    has_attempt_ = has_attempt_ || begins;
    preparing_ = prepares;
    return begins;
  }

  void BeginNextAttempt() {
    ++attempt_;
    has_attempt_ = false;
  }

  /// Returns the phase that ends with the runner's first event of an attempt.
  Phase PhaseBeforeRunner() const {
    if (in_pod_) return Phase::kStart;
    return has_left_queue_ ? Phase::kPull : Phase::kQueue;
  }

  void AddSpan(Phase phase, std::optional<WallTime> ended, const std::string& detail) {
    const bool continues = !spans_.empty() && spans_.back().phase == phase &&
                           spans_.back().attempt == attempt_ && spans_.back().ended == cursor_;
    if (!continues) spans_.push_back({phase, attempt_, cursor_, ended, detail});
    TimelineSpan& span = spans_.back();
    span.ended = ended;
    if (continues && !detail.empty()) span.detail += (span.detail.empty() ? "" : "; ") + detail;
  }

  WallTime cursor_;
  const bool cancelled_;
  std::vector<TimelineSpan>& spans_;
  std::uint32_t attempt_ = 1;
  bool has_attempt_ = false;
  bool preparing_ = false;
  bool has_left_queue_ = false;
  bool in_pod_ = false;  ///< the cluster's events are known
};

bool IsEarlier(const record::Moment& a, const record::Moment& b) { return a.time < b.time; }

/// Adds the events that `moments` does not have.
void Merge(const std::vector<record::Moment>& more, std::vector<record::Moment>& moments) {
  for (const auto& each : more) {
    const bool is_known = std::ranges::any_of(moments, [&](const auto& known) {
      return known.name == each.name && known.time == each.time;
    });
    if (!is_known) moments.push_back(each);
  }
  SortStably(moments, IsEarlier);
}

std::vector<record::Moment> EventsBeforeRunner(const std::vector<record::Moment>& observed) {
  std::vector<record::Moment> events;
  std::ranges::copy_if(observed, std::back_inserter(events),
                       [](const auto& moment) { return Contains(kBeforeRunner, moment.name); });
  return events;
}

/// Adds the events of attempts before the last one. The runner of a pod records only its own.
Status AddEarlierAttempts(Context& context, const record::StoredOutcome& result,
                          std::vector<record::Moment>& moments, const std::stop_token& stop) {
  const auto claims = std::ranges::count(moments, kClaimed, &record::Moment::name);
  for (std::uint32_t attempt = 1; attempt < result.outcome.attempt; ++attempt) {
    if (claims >= static_cast<std::ptrdiff_t>(result.outcome.attempt)) break;  // has all
    const std::string name = record::RunResultName(record::RunKey(result.job.id, attempt));
    KINETIC_ASSIGN_OR_RETURN(const auto text, store::GetBytes(*context.store, name, stop));
    if (!text) continue;
    KINETIC_ASSIGN_OR_RETURN(const auto earlier, record::OutcomeOfJob(*text, result.job));
    Merge(earlier.moments, moments);
  }
  return {};
}

/// Adds the end of a job that was lost while it ran. Its runner did not record it.
void AddLoss(const record::StoredOutcome& result, const JobSummary& now,
             std::vector<record::Moment>& moments) {
  const bool is_loss = result.outcome.state == JobState::kLost && now.finished;
  if (!is_loss || moments.empty() || moments.back().name != "started") return;
  moments.push_back(
      {std::string(kLost), std::max(*now.finished, moments.back().time), result.outcome.reason});
}

/// Adds the events of a job that has ended. The cluster may have deleted its pod, or not respond.
Status AddEnded(Context& context, const JobSummary& now, RecordedTimes& times,
                const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kClusterTime{5000};
  const std::string& id = times.record.id;
  KINETIC_ASSIGN_OR_RETURN(const auto result, ReadIntactResult(context, id, stop));
  if (!result) return {};
  times.moments = result->moments;
  KINETIC_RETURN_IF_ERROR(AddEarlierAttempts(context, *result, times.moments, stop));
  AddLoss(*result, now, times.moments);
  if (!context.target->Traits().is_remote) return {};
  const Deadline deadline(kClusterTime, stop);
  const auto observed = Observe(context, id, deadline.token());
  if (observed && *observed) Merge(EventsBeforeRunner((*observed)->status.timeline), times.moments);
  return {};
}

}  // namespace

JobTimeline MakeTimeline(const RecordedTimes& times) {
  JobTimeline timeline{.id = times.record.id, .state = times.state, .spans = {}, .events = {}};
  for (const auto& phase : times.record.preparation) {
    timeline.spans.push_back({phase.phase, 0, phase.begun, phase.ended, phase.detail});
  }
  SortStably(timeline.spans,
             [](const TimelineSpan& a, const TimelineSpan& b) { return a.begun < b.begun; });
  timeline.events.push_back({"submitted", times.record.created, {}});
  SpanBuilder spans(times.record.created, times.state == JobState::kCancelled, timeline.spans);
  for (const auto& moment : times.moments) {
    spans.Add(moment);
    timeline.events.push_back({moment.name, moment.time, moment.detail});
  }
  if (!IsTerminal(times.state)) spans.AddOpen(times.phase);
  return timeline;
}

Result<JobTimeline> ReadTimeline(Context& context, const JobSummary& known, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const JobSummary now, Refresh(context, known, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto record,
                           RequireRecord(context, known.id, "show the timeline of", stop));
  RecordedTimes times{.record = record, .moments = {}, .state = now.state};
  if (IsTerminal(now.state)) {
    KINETIC_RETURN_IF_ERROR(AddEnded(context, now, times, stop));
  } else {
    KINETIC_ASSIGN_OR_RETURN(const auto observed, Observe(context, known.id, stop));
    if (observed) {
      times.moments = observed->status.timeline;
      times.phase = observed->status.phase;
    } else if (now.started) {
      times.moments = {{"started", *now.started, {}}};
      times.phase = Phase::kRun;
    }
  }
  return MakeTimeline(times);
}

}  // namespace kinetic::job
