#include "local/queue.h"

#include "kinetic/try.h"

#include "base/files/file_lock.h"
#include "base/strings.h"
#include "local/runtime.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace kinetic::local {
namespace {

constexpr std::size_t kNumberDigits = 20;
constexpr std::string_view kOrderLock = "order.lock";

/// A dead owner's lock is released shortly after the close event, so waiters also poll.
constexpr int kQueuePollMs = 1000;

bool IsTicket(const std::string& name) {
  return name.size() > kNumberDigits && name[kNumberDigits] == '-' &&
         name.find_first_not_of("0123456789") == kNumberDigits;
}

Result<std::vector<std::string>> Tickets(FileSystem& fs, const Path& folder) {
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory(folder));
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (IsTicket(entry.name)) names.push_back(entry.name);
  }
  return names;
}

/// Returns the next number and removes the tickets of dead owners. The caller holds the order lock.
Result<std::uint64_t> NextNumber(FileSystem& fs, const Path& folder) {
  KINETIC_ASSIGN_OR_RETURN(const auto names, Tickets(fs, folder));
  std::uint64_t next = 1;
  for (const auto& name : names) {
    const auto number = ParseInt(name.substr(0, kNumberDigits));
    if (number && static_cast<std::uint64_t>(*number) >= next) {
      next = static_cast<std::uint64_t>(*number) + 1;
    }
    KINETIC_ASSIGN_OR_RETURN(const bool held, FileLock::IsHeld(fs, folder / name));
    if (held) continue;
    // Its owner may remove it at the same time.
    const Status removed = fs.Unlink(folder / name);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return Failure(removed.error());
  }
  return next;
}

/// Waits for removed tickets, closed ticket files (their owner ended) and stop requests.
class QueueEvents {
 public:
  static Result<QueueEvents> Watch(const Path& folder) {
    QueueEvents events;
    events.inotify_.Reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    events.wake_.Reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!events.inotify_ || !events.wake_ ||
        ::inotify_add_watch(events.inotify_.get(), folder.c_str(),
                            IN_DELETE | IN_CLOSE_WRITE | IN_MOVED_FROM) < 0) {
      return Failure(ErrnoError(errno, "watching", folder));
    }
    return events;
  }

  void Wake() const { ::eventfd_write(wake_.get(), 1); }

  void Wait() const {
    std::array<pollfd, 2> polled{{{inotify_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    ::poll(polled.data(), polled.size(), kQueuePollMs);
    std::array<char, 4096> dropped;
    while (::read(inotify_.get(), dropped.data(), dropped.size()) > 0) {
    }
  }

 private:
  UniqueFd inotify_;
  UniqueFd wake_;
};

std::string WaitReason(std::size_t ahead, std::uint32_t concurrency) {
  const std::size_t to_end = ahead - concurrency + 1;
  return fmt::format("waiting for {} {}", to_end, to_end == 1 ? "job" : "jobs");
}

}  // namespace

QueueTicket::QueueTicket(FileSystem& fs, Path folder, std::string name, UniqueFd fd)
    : fs_(&fs), folder_(std::move(folder)), name_(std::move(name)), fd_(std::move(fd)) {}

QueueTicket::QueueTicket(QueueTicket&& other) noexcept = default;

QueueTicket::~QueueTicket() {
  if (fd_) (void)fs_->Unlink(folder_ / name_);
}

Result<QueueTicket> QueueTicket::Take(FileSystem& fs, const Path& state_dir, std::string_view id) {
  Path folder = QueueFolder(state_dir);
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder, 0700));
  KINETIC_ASSIGN_OR_RETURN(const FileLock order, FileLock::Take(fs, folder / kOrderLock));
  KINETIC_ASSIGN_OR_RETURN(const std::uint64_t number, NextNumber(fs, folder));
  std::string name = fmt::format("{:0{}}-{}", number, kNumberDigits, id);
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(folder / name, OpenMode::kCreateNew, 0600));
  while (::flock(fd.get(), LOCK_EX) < 0) {
    if (errno != EINTR) return Failure(ErrnoError(errno, "locking", folder / name));
  }
  return QueueTicket(fs, std::move(folder), std::move(name), std::move(fd));
}

Result<std::vector<std::string>> QueueTicket::JobsAhead() const {
  KINETIC_ASSIGN_OR_RETURN(auto names, Tickets(*fs_, folder_));
  std::ranges::sort(names);
  std::vector<std::string> ahead;
  for (const auto& name : names) {
    if (name >= name_) break;
    KINETIC_ASSIGN_OR_RETURN(const bool held, FileLock::IsHeld(*fs_, folder_ / name));
    if (held) ahead.push_back(name.substr(kNumberDigits + 1));
  }
  return ahead;
}

Status QueueTicket::Await(std::uint32_t concurrency,
                          const std::function<void(std::string_view)>& waiting,
                          std::stop_token stop) const {
  // Most jobs do not wait, and closing an inotify instance takes about 15 ms.
  KINETIC_ASSIGN_OR_RETURN(const auto first, JobsAhead());
  if (first.size() < concurrency) return {};
  KINETIC_ASSIGN_OR_RETURN(const QueueEvents events, QueueEvents::Watch(folder_));
  const std::stop_callback on_stop(stop, [&] { events.Wake(); });
  std::string reported;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto ahead, JobsAhead());
    if (ahead.size() < concurrency) return {};
    std::string reason = WaitReason(ahead.size(), concurrency);
    if (reported != reason && waiting) waiting(reason);
    reported = std::move(reason);
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped while in the queue");
    events.Wait();
  }
}

}  // namespace kinetic::local
