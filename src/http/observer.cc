#include "http/observer.h"

#include "base/strings.h"

#include <fmt/format.h>

namespace kinetic::http {

void RequestLog::OnRequest(const RequestRecord& record) {
  using std::chrono::duration;
  const double taken = duration<double, std::milli>(record.end - record.start).count();
  const std::string what = record.status != 0 ? std::to_string(record.status) : record.error;
  log_->Write(
      LogLevel::kDebug, "http",
      fmt::format("{} {}: {}, {} bytes sent, {} received, {:.1f} ms{}", record.method,
                  record.url.Text(), what, record.timing.sent_bytes, record.timing.received_bytes,
                  taken, record.timing.new_connection ? ", new connection" : ""));
  WriteHeaders("> ", record.request_headers);
  WriteHeaders("< ", record.response_headers);
}

void RequestLog::WriteHeaders(std::string_view direction, std::string_view headers) {
  for (const std::string_view line : Split(headers, '\n')) {
    if (!line.empty()) log_->Write(LogLevel::kTrace, "http", fmt::format("{}{}", direction, line));
  }
}

Result<Response> ObservedTransport::Stream(const Request& request, const Sink& sink,
                                           std::stop_token stop) {
  const SteadyTime start = clock_->Steady();
  auto response = inner_->Stream(request, sink, std::move(stop));
  RequestRecord record{request.method,  RedactedUrl(request.url), 0, {}, start, {},
                       clock_->Steady()};
  const bool headers = observer_->WantsHeaders();
  if (headers) record.request_headers = Redacted(request.headers);
  if (response && headers) record.response_headers = Redacted(response->headers);
  if (response) {
    record.status = response->status;
    record.timing = response->timing;
  } else {
    // The record has the method and the URL already.
    const std::string begin = record.method + " " + record.url.Text() + ": ";
    const std::string& message = response.error().message;
    record.error = message.substr(message.starts_with(begin) ? begin.size() : 0);
  }
  observer_->OnRequest(record);
  return response;
}

}  // namespace kinetic::http
