#include "runner/log/echo.h"

#include "kinetic/try.h"

#include "local/runtime.h"
#include "runner/diagnostics.h"

#include <climits>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kEchoReadBytes = 256U << 10;
/// Limits the disk space of open segments; each has 4 MiB.
constexpr std::size_t kMaxOpenSegments = 32;

}  // namespace

LogEcho::LogEcho(FileSystem& fs, Path spool, int out, Format format)
    : fs_(fs),
      spool_(std::move(spool)),
      out_(out),
      format_(std::move(format)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this](const std::stop_token& stop) { Work(stop); }) {}

LogEcho::~LogEcho() {
  {
    const std::lock_guard lock(mutex_);
    thread_.request_stop();
    ::eventfd_write(wake_.get(), 1);
  }
  changed_.notify_all();
}

void LogEcho::OnSegment(const SpooledSegment& segment) {
  const std::lock_guard lock(mutex_);
  if (broken_) return;
  const bool known = any_ && last_first_ == segment.first;
  if (!known) {
    any_ = true;
    last_first_ = segment.first;
    if (items_.size() >= kMaxOpenSegments) return;  // skipped
    auto fd = fs_.Open(local::SpoolSegment(spool_, segment.first), OpenMode::kRead, 0);
    if (!fd) return LogFailure("copying the log", Failure(fd.error()));
    if (!items_.empty()) items_.back().complete = true;
    Item& item = items_.emplace_back();
    item.first = segment.first;
    item.fd = *std::move(fd);
  }
  if (items_.empty() || items_.back().first != segment.first || !items_.back().fd) return;
  items_.back().bytes = segment.bytes;
  items_.back().complete = segment.sealed;
  changed_.notify_all();
}

void LogEcho::WriteLast(std::string text) {
  const std::lock_guard lock(mutex_);
  if (broken_ || ended_) return;
  ended_ = true;
  if (!items_.empty()) items_.back().complete = true;
  Item& item = items_.emplace_back();
  item.complete = true;
  item.text = std::move(text);
  changed_.notify_all();
}

bool LogEcho::Finish(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [this] {
    return broken_ || std::all_of(items_.begin(), items_.end(), [](const Item& item) {
             return item.text.empty() && item.offset >= item.bytes;
           });
  });
}

void LogEcho::Work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto has_work = [&] {
    if (stop.stop_requested()) return true;
    if (items_.empty()) return false;
    const Item& item = items_.front();
    return item.complete || item.offset < item.bytes;
  };
  for (;;) {
    changed_.wait(lock, has_work);
    if (stop.stop_requested()) return;
    Item& item = items_.front();
    const std::uint64_t bytes = item.bytes;
    Status copied;
    if (item.offset < bytes || !item.text.empty()) {
      lock.unlock();
      copied = Copy(item, bytes);
      lock.lock();
      item.text.clear();
      item.offset = bytes;
    }
    if (!copied) {
      if (!stop.stop_requested()) LogFailure("copying the log", copied);
      broken_ = true;
      items_.clear();
    } else if (item.complete && item.offset >= item.bytes) {
      items_.pop_front();
    }
    changed_.notify_all();
  }
}

Status LogEcho::Copy(Item& item, std::uint64_t bytes) {
  if (!item.text.empty()) return Write(item.text);
  const auto format = [this](const LogRecord& record) -> Status {
    format_(formatted_, record);
    return {};
  };
  read_.resize(kEchoReadBytes);
  for (std::uint64_t offset = item.offset; offset < bytes;) {
    const std::size_t most = std::min<std::uint64_t>(read_.size(), bytes - offset);
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                             fs_.ReadAt(item.fd.get(), std::span(read_).first(most), offset));
    if (count == 0)
      return Fail(ErrorCode::kDataLoss, "the spooled log segment is shorter than expected");
    offset += count;
    formatted_.clear();
    KINETIC_RETURN_IF_ERROR(item.parser.Feed(std::string_view(read_).substr(0, count), format));
    KINETIC_RETURN_IF_ERROR(Write(formatted_));
  }
  return {};
}

/// Writes at most PIPE_BUF bytes at once: a writable pipe accepts them without blocking, so that
/// the wait can be interrupted.
Status LogEcho::Write(std::string_view text) {
  while (!text.empty()) {
    std::array<pollfd, 2> polled{{{out_, POLLOUT, 0}, {wake_.get(), POLLIN, 0}}};
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) {
      return Failure(ErrnoError(errno, "writing", "the copy of the log"));
    }
    if (polled[1].revents != 0) return Fail(ErrorCode::kCancelled, "stopped");
    if (polled[0].revents == 0) continue;
    const ssize_t count = ::write(out_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count < 0 && errno != EINTR && errno != EAGAIN) {
      return Failure(ErrnoError(errno, "writing", "the copy of the log"));
    }
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace kinetic::runner
