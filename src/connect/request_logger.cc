#include "connect/connection.h"

namespace kinetic::connect {

void RequestLogger::OnRequest(const http::RequestRecord& record) {
  if (limit_ != nullptr && record.status != 0) limit_->OnResponse();
  if (log_ != nullptr) http::RequestLog(*log_).OnRequest(record);
  if (sink_ == nullptr) return;
  RequestTrace trace;
  trace.method = record.method;
  trace.url = record.url.Text();
  trace.status = record.status;
  trace.error = record.error;
  trace.sent_bytes = record.timing.sent_bytes;
  trace.received_bytes = record.timing.received_bytes;
  trace.start = record.start;
  trace.first_byte = record.timing.first_byte;
  trace.end = std::chrono::duration_cast<std::chrono::microseconds>(record.end - record.start);
  trace.new_connection = record.timing.new_connection;
  sink_->Write(trace);
}

}  // namespace kinetic::connect
