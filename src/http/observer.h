#pragma once

#include "kinetic/log.h"

#include "base/clock.h"
#include "http/redacted.h"
#include "http/transport.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kinetic::http {

/// One request that has ended, as a trace shows it.
struct RequestRecord {
  std::string method;
  RedactedUrl url;
  int status = 0;     ///< 0: there was no answer
  std::string error;  ///< why not
  SteadyTime start;
  Timing timing;  ///< zero where there was no answer
  SteadyTime end;
  /// As Redacted() has them, where the observer wants them.
  std::string request_headers = {};
  std::string response_headers = {};
};

/// Is told of every request when it has ended.
///
/// @threads  OnRequest may be called concurrently.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void OnRequest(const RequestRecord& record) = 0;
  virtual bool WantsHeaders() const { return false; }
};

/// Keeps every record, in the order in which the requests ended.
class Recorder final : public RequestObserver {
 public:
  void OnRequest(const RequestRecord& record) override;
  std::vector<RequestRecord> Records() const;

 private:
  mutable std::mutex mutex_;
  std::vector<RequestRecord> records_;
};

/// Writes one line for each request at LogLevel::kDebug: "GET https://… 200, 1024 bytes in 12 ms",
/// and a line for each header field at kTrace.
class RequestLog final : public RequestObserver {
 public:
  explicit RequestLog(LogSink& log) : log_(&log) {}
  void OnRequest(const RequestRecord& record) override;
  bool WantsHeaders() const override { return true; }

 private:
  void WriteHeaders(std::string_view direction, std::string_view headers);

  LogSink* log_;
};

/// A transport that reports what another one does. All of them outlive it.
class ObservedTransport final : public Transport {
 public:
  ObservedTransport(Transport& inner, RequestObserver& observer, Clock& clock)
      : inner_(&inner), observer_(&observer), clock_(&clock) {}
  Result<Response> Stream(const Request& request, const Sink& sink, std::stop_token stop) override;

 private:
  Transport* inner_;
  RequestObserver* observer_;
  Clock* clock_;
};

}  // namespace kinetic::http
