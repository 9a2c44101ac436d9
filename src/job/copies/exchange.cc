#include "job/copies/exchange.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "job/summary.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

constexpr std::chrono::milliseconds kAnswerPoll{500};
constexpr std::chrono::seconds kSilentTime{5};
constexpr std::chrono::seconds kStateCheck{5};
constexpr std::chrono::seconds kAnswerTimeout{20};
constexpr std::chrono::seconds kProgressTimeout{60};
/// Limits the removal of the objects after a cancellation.
constexpr std::chrono::seconds kRemovalTimeout{10};

}  // namespace

CopyExchange::CopyExchange(Context& context, JobSummary job, record::JobKey key, Observer& observer)
    : context_(context),
      job_(std::move(job)),
      key_(std::move(key)),
      observer_(observer),
      id_(RandomId()) {}

CopyExchange::~CopyExchange() {
  if (!began_) return;
  const Status removed = Remove();
  if (removed) return;
  context_.Log(LogLevel::kWarning,
               "cannot remove the objects of the copy: " + removed.error().message);
}

std::string CopyExchange::Files() {
  began_ = true;
  return record::CopiedFilesFolder(key_.id, id_);
}

Result<record::CopyAnswer> CopyExchange::Request(record::CopyRequest request,
                                                 const std::stop_token& stop) {
  request.job = key_;
  began_ = true;
  KINETIC_RETURN_IF_ERROR(StoreRequest(request, stop));
  KINETIC_ASSIGN_OR_RETURN(auto answer, AwaitAnswer(stop));
  if (answer.error) return Failure(*std::move(answer.error));
  return answer;
}

Status CopyExchange::StoreRequest(const record::CopyRequest& request, const std::stop_token& stop) {
  store::Store& store = *context_.store;
  KINETIC_RETURN_IF_ERROR(store::PutBytes(store, record::CopyRequestName(key_.id, id_),
                                          ToJson(request), store::Precondition::Absent(), stop));
  // The runner lists requests when the marker has changed.
  const std::string marker = record::CopyMarkerName(key_.id);
  KINETIC_ASSIGN_OR_RETURN(const auto touched, store.Touch(marker, {}, stop));
  if (touched) return {};
  KINETIC_RETURN_IF_ERROR(store::PutBytes(store, marker, {}, store::Precondition::Absent(), stop));
  return {};
}

Result<record::CopyAnswer> CopyExchange::AwaitAnswer(const std::stop_token& stop) {
  begin_ = context_.clock.Steady();
  next_check_ = begin_ + kStateCheck;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(auto answer, ReadAnswer(stop));
    if (answer) return *std::move(answer);
    KINETIC_RETURN_IF_ERROR(CheckProgress(stop));
    KINETIC_RETURN_IF_ERROR(CheckJob(stop));
    KINETIC_RETURN_IF_ERROR(CheckTime());
    KINETIC_RETURN_IF_ERROR(context_.clock.Sleep(kAnswerPoll, stop));
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

/// Fails if the job has ended.
Status CopyExchange::CheckJob(const std::stop_token& stop) {
  if (context_.clock.Steady() < next_check_) return {};
  KINETIC_ASSIGN_OR_RETURN(job_, Refresh(context_, job_, stop));
  next_check_ = context_.clock.Steady() + kStateCheck;
  if (!IsTerminal(job_.state)) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("job {} ended before it answered: {}", key_.id, Name(job_.state)),
              "to copy from its stored outputs, run the same command again");
}

void CopyExchange::TellWait() {
  told_ = true;
  const bool is_running = job_.state == JobState::kRunning;
  observer_.OnPhaseBegin(
      Phase::kCollect,
      is_running ? fmt::format("waiting for job {} to answer", key_.id)
                 : fmt::format("waiting for job {} to start: {}", key_.id, Name(job_.state)));
}

Status CopyExchange::CheckTime() {
  const SteadyTime now = context_.clock.Steady();
  if (!told_ && !progress_ && now - begin_ >= kSilentTime) TellWait();
  if (!progress_ && now - begin_ >= kAnswerTimeout) {
    if (job_.state != JobState::kRunning) {
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("job {} has not started: {}", key_.id, Name(job_.state)),
                  "see kinetic why " + key_.id);
    }
    return Fail(
        ErrorCode::kDeadlineExceeded,
        fmt::format("job {} did not answer within {} seconds", key_.id, kAnswerTimeout.count()),
        "its program may not have started, its collector may have died, or it was "
        "submitted by an earlier version of kinetic; see kinetic why " +
            key_.id);
  }
  if (progress_ && now - *progress_ >= kProgressTimeout) {
    return Fail(ErrorCode::kDeadlineExceeded,
                fmt::format("job {} began to copy and then did not answer for {} seconds", key_.id,
                            kProgressTimeout.count()),
                "see kinetic why " + key_.id);
  }
  return {};
}

/// Removes the request first, so that a runner that still works on it stops.
Status CopyExchange::Remove() {
  const Deadline deadline(kRemovalTimeout, {});
  const std::stop_token stop = deadline.token();
  store::Store& store = *context_.store;
  KINETIC_ASSIGN_OR_RETURN(const auto request,
                           store.Stat(record::CopyRequestName(key_.id, id_), stop));
  if (request) KINETIC_RETURN_IF_ERROR(store.RemoveIfUnchanged(*request, stop));
  std::vector<store::ObjectInfo> left;
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    left.push_back(info);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(record::CopyFolder(key_.id, id_), "", take, stop));
  KINETIC_RETURN_IF_ERROR(store.RemoveAll(left, stop));
  return {};
}

}  // namespace kinetic::job
