#include "log_thread.h"

#include <chrono>
#include <string>

namespace kinetic::python {

namespace {

/// How long to wait for the log after the job has ended.
constexpr std::chrono::seconds kLogGrace(10);

}  // namespace

LogRecordSink PostTo(WaitingCall& call) {
  return [&call](const LogRecord& record) -> Status {
    // Messages of kinetic do not belong to the program's output.
    const bool is_output = record.stream == Stream::kStdout;
    call.Post({"log", is_output ? "stdout" : "stderr", std::string(record.text)});
    return {};
  };
}

LogThread::LogThread(const Job& job, WaitingCall& call)
    : job_(job), call_(call), done_(std::async(std::launch::async, [this] {
        return job_.Logs({.follow = true, .stop = stop_.get_token()}, PostTo(call_));
      })) {}

void LogThread::Finish(bool has_ended) {
  const bool is_complete = has_ended && done_.wait_for(kLogGrace) == std::future_status::ready;
  if (!is_complete) stop_.request_stop();
  Status status = done_.get();
  if (has_ended && !is_complete && (status || status.error().code == ErrorCode::kCancelled))
    status = Fail(ErrorCode::kUnavailable, "the end is missing");
  if (status || status.error().code == ErrorCode::kCancelled) return;
  // The result does not depend on the log.
  call_.Post(
      {"warning", "", "cannot follow the log of job " + job_.id() + ": " + status.error().message});
}

}  // namespace kinetic::python
