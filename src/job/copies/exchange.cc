#include "job/copies/exchange.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "job/summary.h"
#include "record/object_names.h"
#include "store/bucket/location.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::chrono::milliseconds kFirstPoll{10};
constexpr std::chrono::milliseconds kAnswerPoll{500};
constexpr std::chrono::milliseconds kStartPoll{1000};
constexpr std::chrono::seconds kSilentTime{5};
constexpr std::chrono::seconds kStateCheck{5};
constexpr std::chrono::seconds kAnswerTimeout{20};
constexpr std::chrono::seconds kProgressTimeout{60};
/// Limits the removal of the objects after an error or a cancellation.
constexpr std::chrono::seconds kRemovalTimeout{10};

Failure EndedFailure(const JobSummary& job) {
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("job {} ended before it responded: {}", job.id, Name(job.state)),
              "see its stored outputs: kinetic outputs ls " + job.id);
}

}  // namespace

CopyExchange::CopyExchange(Context& context, JobSummary job, record::JobKey key, Observer& observer)
    : context_(context),
      job_(std::move(job)),
      key_(std::move(key)),
      observer_(observer),
      id_(RandomId()) {}

CopyExchange::~CopyExchange() {
  if (!began_) return;
  const Deadline deadline(kRemovalTimeout, {});
  const Status removed = Remove(deadline.token());
  if (removed) return;
  context_.Log(LogLevel::kWarning,
               "cannot remove the objects of the copy: " + removed.error().message);
}

std::string CopyExchange::Files() {
  began_ = true;
  return record::CopiedFilesFolder(key_.id, id_);
}

/// Returns whether the runner is probably on this machine and is told about requests. Objects in a
/// bucket, such as the marker, must not change twice in a second.
bool CopyExchange::IsNear() const {
  return !context_.target->Traits().is_remote &&
         !store::IsBucketLocation(context_.store->Location());
}

Status CopyExchange::AwaitRunning(const std::stop_token& stop) {
  std::chrono::milliseconds pause = IsNear() ? kFirstPoll : kStartPoll;
  begin_ = context_.clock.Steady();
  while (job_.state != JobState::kRunning) {
    KINETIC_ASSIGN_OR_RETURN(job_, Refresh(context_, job_, stop));
    if (job_.state == JobState::kRunning) break;
    if (IsTerminal(job_.state)) return EndedFailure(job_);
    const auto waited = context_.clock.Steady() - begin_;
    if (waited >= kAnswerTimeout) {
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("job {} has not started: {}", key_.id, Name(job_.state)),
                  "see 'kinetic why " + key_.id + "'");
    }
    if (waited >= kSilentTime) {
      ReportWait(Phase::kQueue,
                 fmt::format("waiting for job {} to start: {}", key_.id, Name(job_.state)));
    }
    KINETIC_RETURN_IF_ERROR(context_.clock.Sleep(pause, stop));
    pause = std::min(pause * 2, kStartPoll);
  }
  return {};
}

Result<record::CopyAnswer> CopyExchange::Request(record::CopyRequest request,
                                                 const std::stop_token& stop) {
  request.job = key_;
  began_ = true;
  KINETIC_RETURN_IF_ERROR(StoreRequest(request, stop));
  auto answer = AwaitAnswer(stop);
  observer_.OnPhaseEnd(Phase::kCollect, {});
  if (answer && answer->error) return Failure(*std::move(answer->error));
  return answer;
}

Status CopyExchange::StoreRequest(const record::CopyRequest& request, const std::stop_token& stop) {
  store::Store& store = *context_.store;
  KINETIC_ASSIGN_OR_RETURN(const auto record, store.Stat(record::RecordName(key_.id), stop));
  if (!record) {
    return Fail(ErrorCode::kFailedPrecondition, "job " + key_.id + " was removed during the copy");
  }
  KINETIC_RETURN_IF_ERROR(store::PutBytes(store, record::CopyRequestName(key_.id, id_),
                                          ToJson(request), store::Precondition::Absent(), stop));
  // The runner lists requests when the marker has changed.
  const std::string marker = record::CopyMarkerName(key_.id);
  KINETIC_ASSIGN_OR_RETURN(const auto touched, store.Touch(marker, {}, stop));
  if (!touched) {
    KINETIC_RETURN_IF_ERROR(
        store::PutBytes(store, marker, {}, store::Precondition::Absent(), stop));
  }
  if (IsNear()) context_.target->Wake(key_.id);
  return {};
}

Result<record::CopyAnswer> CopyExchange::AwaitAnswer(const std::stop_token& stop) {
  begin_ = context_.clock.Steady();
  next_check_ = begin_ + kStateCheck;
  std::chrono::milliseconds pause = IsNear() ? kFirstPoll : kAnswerPoll;
  for (;;) {
    // Read after the state: the answer is stored before the end of the job.
    KINETIC_ASSIGN_OR_RETURN(const bool has_ended, HasEnded(stop));
    KINETIC_ASSIGN_OR_RETURN(auto answer, ReadAnswer(stop));
    if (answer) return *std::move(answer);
    if (has_ended) return EndedFailure(job_);
    KINETIC_RETURN_IF_ERROR(CheckProgress(stop));
    KINETIC_RETURN_IF_ERROR(CheckTime());
    KINETIC_RETURN_IF_ERROR(context_.clock.Sleep(pause, stop));
    pause = std::min(pause * 2, kAnswerPoll);
  }
}

Result<std::optional<record::CopyAnswer>> CopyExchange::ReadAnswer(const std::stop_token& stop) {
  const std::string name = record::CopyAnswerName(key_.id, id_);
  KINETIC_ASSIGN_OR_RETURN(
      const auto json, store::GetBytes(*context_.store, name, stop, record::kMaxCopyDocumentBytes));
  if (!json) return std::nullopt;
  KINETIC_ASSIGN_OR_RETURN(auto answer, record::CopyAnswerFromJson(*json));
  KINETIC_RETURN_IF_ERROR(record::CheckOwner(name, answer.job, key_));
  return std::optional(std::move(answer));
}

Status CopyExchange::CheckProgress(const std::stop_token& stop) {
  const std::string name = record::CopyProgressName(key_.id, id_);
  KINETIC_ASSIGN_OR_RETURN(const auto info, context_.store->Stat(name, stop));
  if (!info || info->generation == generation_) return {};
  generation_ = info->generation;
  progress_ = context_.clock.Steady();
  const auto json = store::GetBytes(*context_.store, name, stop, record::kMaxCopyDocumentBytes);
  if (!json || !*json) return {};
  const auto progress = record::CopyProgressFromJson(**json);
  if (progress) {
    observer_.OnBytes(Phase::kCollect, progress->done_bytes, progress->total_bytes);
  }
  return {};
}

/// Refreshes the state of the job from time to time.
Result<bool> CopyExchange::HasEnded(const std::stop_token& stop) {
  if (context_.clock.Steady() < next_check_) return false;
  KINETIC_ASSIGN_OR_RETURN(job_, Refresh(context_, job_, stop));
  next_check_ = context_.clock.Steady() + kStateCheck;
  return IsTerminal(job_.state);
}

void CopyExchange::ReportWait(Phase phase, const std::string& reason) {
  if (std::exchange(reported_wait_, true)) return;
  observer_.OnPhaseBegin(phase, reason);
}

Status CopyExchange::CheckTime() {
  const SteadyTime now = context_.clock.Steady();
  if (!progress_ && now - begin_ >= kSilentTime) {
    ReportWait(Phase::kCollect, fmt::format("waiting for job {} to respond", key_.id));
  }
  if (!progress_ && now - begin_ >= kAnswerTimeout) {
    return Fail(
        ErrorCode::kDeadlineExceeded,
        fmt::format("job {} did not respond within {} seconds", key_.id, kAnswerTimeout.count()),
        "its program may not have started, its collector may have died, or it was "
        "submitted by an earlier version of kinetic; see 'kinetic why " +
            key_.id + "'");
  }
  if (progress_ && now - *progress_ >= kProgressTimeout) {
    return Fail(ErrorCode::kDeadlineExceeded,
                fmt::format("job {} started copying, but then did not respond for {} seconds",
                            key_.id, kProgressTimeout.count()),
                "see 'kinetic why " + key_.id + "'");
  }
  return {};
}

/// Removes the request first, so that a runner that still works on it stops.
Status CopyExchange::Remove(std::stop_token stop) {
  store::Store& store = *context_.store;
  KINETIC_ASSIGN_OR_RETURN(const auto request,
                           store.Stat(record::CopyRequestName(key_.id, id_), stop));
  if (request) KINETIC_RETURN_IF_ERROR(store.RemoveIfUnchanged(*request, stop));
  KINETIC_RETURN_IF_ERROR(
      store::RemoveAllBelow(store, record::CopyFolder(key_.id, id_), std::move(stop)));
  began_ = false;
  return {};
}

}  // namespace kinetic::job
