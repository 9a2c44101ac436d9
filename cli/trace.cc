#include "kinetic/value.h"

#include "diagnostics.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace kinetic::cli {
namespace {

using std::chrono::microseconds;

Value After(microseconds start, microseconds later) {
  return Value(std::int64_t{(start + later).count()});
}

}  // namespace

Trace::Trace(std::string path, std::ofstream file)
    : path_(std::move(path)), begin_(std::chrono::steady_clock::now()), file_(std::move(file)) {}

void Trace::Write(const RequestTrace& trace) {
  const auto start = std::chrono::duration_cast<microseconds>(trace.start - begin_);
  const Value line{Value::Map{
      {"method", trace.method},
      {"url", trace.url},
      {"status", trace.status == 0 ? Value() : Value(trace.status)},
      {"error", trace.error.empty() ? Value() : Value(trace.error)},
      {"sent_bytes", static_cast<std::int64_t>(trace.sent_bytes)},
      {"received_bytes", static_cast<std::int64_t>(trace.received_bytes)},
      {"start_us", After(start, {})},
      {"first_byte_us", trace.first_byte.count() == 0 ? Value() : After(start, trace.first_byte)},
      {"end_us", After(start, trace.end)},
      {"new_connection", trace.new_connection}}};
  const std::lock_guard lock(mutex_);
  file_ << line.ToJson() << '\n' << std::flush;
}

Status Trace::Finish() {
  const std::lock_guard lock(mutex_);
  file_.close();
  if (file_) return {};
  return Fail(ErrorCode::kResourceExhausted, "cannot write trace file " + path_ + " completely",
              "free some space, or use another file");
}

Result<std::unique_ptr<Trace>> OpenTrace(const std::string& path) {
  if (path.empty()) return nullptr;
  constexpr mode_t kOwnerOnly = 0600;
  const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnly);
  if (made < 0) {
    const bool full = errno == ENOSPC || errno == EDQUOT || errno == EMFILE || errno == ENFILE;
    return Fail(full ? ErrorCode::kResourceExhausted : ErrorCode::kInvalidArgument,
                "cannot open trace file " + path + ": " + SystemCause(errno),
                "choose another file");
  }
  ::close(made);
  return std::make_unique<Trace>(path, std::ofstream(path, std::ios::app));
}

}  // namespace kinetic::cli
