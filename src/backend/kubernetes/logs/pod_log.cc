
#include "backend/kubernetes/logs/pod_log.h"

#include "kinetic/try.h"

#include "pod/container.h"

#include <utility>

namespace kinetic::backend {
namespace {

/// Time between capturing a record and the node's timestamp of its line.
constexpr std::chrono::seconds kStampDelay{5};

}  // namespace

Result<PodLogReader::Stop> PodLogReader::Read(std::string_view pod, bool follow,
                                              std::stop_token stop) {
  rest_.clear();
  decided_.reset();
  kube::LogQuery query;
  query.container = pod::kCollectorContainer;
  query.follow = follow;
  if (last_time_) query.since_time = *last_time_ - kStampDelay;
  const auto take = [this](std::string_view bytes) { return TakeBytes(bytes); };
  const auto ended = client_.ReadLog(name_space_, pod, query, take, std::move(stop));
  if (decided_) return *decided_;
  if (!ended && (reader_failed_ || ended.error().code == ErrorCode::kCancelled)) {
    return Failure(ended.error());
  }
  if (!ended) {
    api_error_ = ended.error();
    return Stop::kApiError;
  }
  switch (ended->reason) {
    case kube::LogEnd::Reason::kNotStarted:
      return Stop::kNotStarted;
    case kube::LogEnd::Reason::kNotFound:
      return Stop::kGone;
    case kube::LogEnd::Reason::kEnded:
    case kube::LogEnd::Reason::kInterrupted:
      break;
  }
  return Stop::kEnd;
}

Status PodLogReader::TakeBytes(std::string_view bytes) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      rest_.append(bytes);
      return {};
    }
    if (rest_.empty()) {
      KINETIC_RETURN_IF_ERROR(TakeLine(bytes.substr(0, end)));
    } else {
      rest_.append(bytes.substr(0, end));
      const Status taken = TakeLine(rest_);
      rest_.clear();
      KINETIC_RETURN_IF_ERROR(taken);
    }
    bytes.remove_prefix(end + 1);
  }
}

Status PodLogReader::TakeLine(std::string_view line) {
  const auto take = [this](const LogRecord& record) { return TakeRecord(record); };
  KINETIC_ASSIGN_OR_RETURN(end_, lines_.Read(line, take));
  if (!end_) return {};
  decided_ = Stop::kEndLine;
  return Fail(ErrorCode::kAborted, "the last line was read");
}

Status PodLogReader::TakeRecord(const LogRecord& record) {
  if (record.sequence < next_) return {};
  if (record.sequence > next_) {
    decided_ = Stop::kGap;
    return Fail(ErrorCode::kAborted, "records are missing");
  }
  const Status passed = reader_(record);
  reader_failed_ = !passed;
  KINETIC_RETURN_IF_ERROR(passed);
  next_ = record.sequence + 1;
  last_time_ = record.time;
  return {};
}

}  // namespace kinetic::backend
