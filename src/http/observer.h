#pragma once

#include "kinetic/log.h"

#include "base/time/clock.h"
#include "http/transport.h"
#include "http/url.h"

#include <memory>
#include <string>

namespace kinetic::http {

/// A completed request.
struct RequestRecord {
  std::string method;
  RedactedUrl url;
  int status = 0;     ///< 0: no response
  std::string error;  ///< why there was no response
  SteadyTime start;
  Timing timing;  ///< zero without a response
  SteadyTime end;
  /// Formatted by Redacted(), if WantsHeaders().
  std::string request_headers = {};
  std::string response_headers = {};
};

/// Receives every completed request. OnRequest may be called concurrently.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void OnRequest(const RequestRecord& record) = 0;
  virtual bool WantsHeaders() const { return false; }
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

/// A transport that reports the requests of another one. All arguments must outlive it.
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
