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
#include <chrono>
#include <utility>

namespace kinetic::local {
namespace {

constexpr std::size_t kNumberDigits = 20;
constexpr std::string_view kOrderLock = "order.lock";

/// A dead owner's lock is released shortly after the close event, so waiters also poll.
constexpr std::chrono::milliseconds kQueuePollInterval{1000};
/// Jobs rarely end faster.
constexpr std::chrono::milliseconds kShortestJob{10};
/// Tickets that are checked for dead owners when a ticket is taken.
constexpr std::size_t kCheckedTickets = 16;

bool IsTicket(const std::string& name) {
  return name.size() > kNumberDigits && name[kNumberDigits] == '-' &&
         name.find_first_not_of("0123456789") == kNumberDigits;
}

/// Returns the names of the tickets, in order.
Result<std::vector<std::string>> Tickets(FileSystem& fs, const Path& folder) {
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory(folder));
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (IsTicket(entry.name)) names.push_back(entry.name);
  }
  std::ranges::sort(names);
  return names;
}

/// Removes tickets of dead owners at the front of the queue. The caller holds the order lock.
Status RemoveDead(FileSystem& fs, const Path& folder, const std::vector<std::string>& names) {
  std::size_t live = 0;
  for (const auto& name : names) {
    KINETIC_ASSIGN_OR_RETURN(const bool held, FileLock::IsHeld(fs, folder / name));
    if (held && ++live == kCheckedTickets) return {};
    if (held) continue;
    // Its owner may remove it at the same time.
    const Status removed = fs.Unlink(folder / name);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  }
  return {};
}

std::uint64_t NextNumber(const std::vector<std::string>& names) {
  if (names.empty()) return 1;
  const auto last = ParseInt(names.back().substr(0, kNumberDigits));
  return last ? static_cast<std::uint64_t>(*last) + 1 : 1;
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

  /// @param quiet  time for which events of the queue are ignored.
  void Wait(std::chrono::milliseconds quiet) const {
    std::array<pollfd, 2> polled{{{wake_.get(), POLLIN, 0}, {inotify_.get(), POLLIN, 0}}};
    if (::poll(polled.data(), 1, static_cast<int>(quiet.count())) > 0) return;
    ::poll(polled.data(), polled.size(), static_cast<int>(kQueuePollInterval.count()));
    std::array<char, 4096> dropped;
    while (::read(inotify_.get(), dropped.data(), dropped.size()) > 0) {
    }
  }

 private:
  UniqueFd inotify_;
  UniqueFd wake_;
};

std::string WaitReason(std::size_t to_end) {
  return fmt::format("waiting for {} {}", to_end, to_end == 1 ? "job" : "jobs");
}

/// Returns for how long a job ignores events, each of which wakes all waiting jobs. It is short
/// enough if `concurrency` jobs end at a time.
std::chrono::milliseconds QuietTime(std::size_t to_end, std::uint32_t concurrency) {
  const auto rounds = static_cast<std::chrono::milliseconds::rep>((to_end - 1) / concurrency);
  return std::min(rounds * kShortestJob, kQueuePollInterval);
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
  KINETIC_ASSIGN_OR_RETURN(const auto names, Tickets(fs, folder));
  KINETIC_RETURN_IF_ERROR(RemoveDead(fs, folder, names));
  std::string name = fmt::format("{:0{}}-{}", NextNumber(names), kNumberDigits, id);
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(folder / name, OpenMode::kCreateNew, 0600));
  while (::flock(fd.get(), LOCK_EX) < 0) {
    if (errno != EINTR) return Failure(ErrnoError(errno, "locking", folder / name));
  }
  return QueueTicket(fs, std::move(folder), std::move(name), std::move(fd));
}

Result<std::size_t> QueueTicket::CountAhead(std::uint32_t concurrency) const {
  KINETIC_ASSIGN_OR_RETURN(const auto names, Tickets(*fs_, folder_));
  const auto own = std::ranges::lower_bound(names, name_);
  std::size_t ahead = 0;
  for (auto name = names.begin(); name != own; ++name) {
    if (ahead >= concurrency) return ahead + static_cast<std::size_t>(own - name);
    KINETIC_ASSIGN_OR_RETURN(const bool held, FileLock::IsHeld(*fs_, folder_ / *name));
    if (held) ++ahead;
  }
  return ahead;
}

Status QueueTicket::Await(std::uint32_t concurrency,
                          const std::function<void(std::string_view)>& waiting,
                          std::stop_token stop) const {
  // Most jobs do not wait, and closing an inotify instance takes about 15 ms.
  KINETIC_ASSIGN_OR_RETURN(const std::size_t first, CountAhead(concurrency));
  if (first < concurrency) return {};
  KINETIC_ASSIGN_OR_RETURN(const QueueEvents events, QueueEvents::Watch(folder_));
  const std::stop_callback on_stop(stop, [&] { events.Wake(); });
  std::string reported;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t ahead, CountAhead(concurrency));
    if (ahead < concurrency) return {};
    const std::size_t to_end = ahead - concurrency + 1;
    std::string reason = WaitReason(to_end);
    if (reported != reason && waiting) waiting(reason);
    reported = std::move(reason);
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped while in the queue");
    events.Wait(QuietTime(to_end, concurrency));
  }
}

}  // namespace kinetic::local
