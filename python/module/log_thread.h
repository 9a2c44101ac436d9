#pragma once

#include "kinetic/job.h"
#include "kinetic/log_record.h"

#include "waiting_call.h"

#include <future>
#include <stop_token>

namespace kinetic::python {

/// Returns a function that posts the records of a log.
LogRecordSink PostTo(WaitingCall& call);

/// Posts the log of a job from its own thread, until the log ends or Finish is called.
class LogThread {
 public:
  LogThread(const Job& job, WaitingCall& call);
  /// Stops. An exception may prevent the call of Finish.
  ~LogThread() { stop_.request_stop(); }
  LogThread(const LogThread&) = delete;
  LogThread& operator=(const LogThread&) = delete;

  /// Waits for the rest of the log if the job has ended; otherwise stops.
  void Finish(bool has_ended);

 private:
  const Job& job_;
  WaitingCall& call_;
  std::stop_source stop_;
  std::future<Status> done_;  // last: it uses the members above
};

}  // namespace kinetic::python
