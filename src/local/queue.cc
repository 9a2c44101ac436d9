#include "local/queue.h"

#include "kinetic/try.h"

#include "base/files/file_lock.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "local/pulse.h"
#include "local/runtime.h"

#include <fmt/format.h>

#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace kinetic::local {
namespace {

constexpr std::size_t kNumberDigits = 20;
constexpr std::string_view kOrderLock = "order.lock";

constexpr std::chrono::milliseconds kShortestPause{10};
constexpr std::chrono::milliseconds kLongestPause{1000};
/// Jobs rarely end faster.
constexpr std::chrono::milliseconds kShortestJob{20};
/// With many jobs ahead, because the checks of all waiting jobs add up.
constexpr std::chrono::milliseconds kLongestPauseFarBehind{20'000};
/// The number of jobs ahead may be older than the jobs that block this one by this time.
constexpr std::chrono::seconds kCountAge{30};
/// A pause is this part of the time since the last change: jobs that ran long may run on.
constexpr int kPausePart = 16;
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

/// Names the setting, because users may not expect that jobs wait for each other.
std::string WaitReason(std::size_t to_end, std::uint32_t concurrency) {
  return fmt::format("waiting for {} {}; concurrency is {}", to_end, to_end == 1 ? "job" : "jobs",
                     concurrency);
}

/// Returns the time until the next check. It is short enough if `concurrency` jobs end at a time.
std::chrono::milliseconds PauseTime(std::size_t to_end, std::uint32_t concurrency,
                                    std::chrono::nanoseconds since_change) {
  const std::chrono::milliseconds rounds =
      kShortestJob * static_cast<std::chrono::milliseconds::rep>((to_end - 1) / concurrency);
  const auto part = std::chrono::ceil<std::chrono::milliseconds>(since_change / kPausePart);
  return std::clamp(std::max(std::min(part, kLongestPause), rounds), kShortestPause,
                    kLongestPauseFarBehind);
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
  KINETIC_ASSIGN_OR_RETURN(const FileLock order, FileLock::Acquire(fs, folder / kOrderLock));
  KINETIC_ASSIGN_OR_RETURN(const auto names, Tickets(fs, folder));
  KINETIC_RETURN_IF_ERROR(RemoveDead(fs, folder, names));
  std::string name = fmt::format("{:0{}}-{}", NextNumber(names), kNumberDigits, id);
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(folder / name, OpenMode::kCreateNew, 0600));
  // Without waiting: only this process can have locked it, or one that checks it for a moment.
  while (::flock(fd.get(), LOCK_EX) < 0) {
    if (errno != EINTR) return Failure(ErrnoError(errno, "locking", folder / name));
  }
  return QueueTicket(fs, std::move(folder), std::move(name), std::move(fd));
}

Result<bool> QueueTicket::Counts(const std::string& name) const {
  KINETIC_ASSIGN_OR_RETURN(const bool held, FileLock::IsHeld(*fs_, folder_ / name));
  if (!held) return false;
  const Path runtime = JobsFolder(folder_.parent_path()) / name.substr(kNumberDigits + 1);
  return !IsSilent(*fs_, Runtime{runtime});
}

Result<std::size_t> QueueTicket::CountAhead(std::uint32_t concurrency) const {
  KINETIC_ASSIGN_OR_RETURN(const Ahead ahead, FindAhead(concurrency));
  return ahead.count;
}

Result<bool> QueueTicket::IsAwaited() const {
  KINETIC_ASSIGN_OR_RETURN(const auto names, Tickets(*fs_, folder_));
  const std::string job = name_.substr(kNumberDigits);
  for (auto name = std::ranges::upper_bound(names, name_); name != names.end(); ++name) {
    if (name->substr(kNumberDigits) == job) continue;
    KINETIC_ASSIGN_OR_RETURN(const bool counts, Counts(*name));
    if (counts) return true;
  }
  return false;
}

Result<QueueTicket::Ahead> QueueTicket::FindAhead(std::uint32_t concurrency) const {
  KINETIC_ASSIGN_OR_RETURN(const auto names, Tickets(*fs_, folder_));
  const auto own = std::ranges::lower_bound(names, name_);
  Ahead ahead;
  for (auto name = names.begin(); name != own; ++name) {
    if (ahead.first.size() >= concurrency) {
      ahead.count += static_cast<std::size_t>(own - name);
      break;
    }
    KINETIC_ASSIGN_OR_RETURN(const bool counts, Counts(*name));
    if (!counts) continue;
    ahead.first.push_back(*name);
    ++ahead.count;
  }
  return ahead;
}

/// Returns whether all these tickets still count, so that the job cannot run yet.
Result<bool> QueueTicket::AllCount(const std::vector<std::string>& names) const {
  for (const auto& name : names) {
    KINETIC_ASSIGN_OR_RETURN(const bool counts, Counts(name));
    if (!counts) return false;
  }
  return true;
}

Status QueueTicket::Await(std::uint32_t concurrency,
                          const std::function<void(std::string_view)>& waiting,
                          const std::function<Status(std::chrono::milliseconds)>& pause) const {
  std::string reported;
  SteadyTime changed = SystemClock().Steady();
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const Ahead ahead, FindAhead(concurrency));
    if (ahead.count < concurrency) return {};
    const SteadyTime counted = SystemClock().Steady();
    const std::size_t to_end = ahead.count - concurrency + 1;
    std::string reason = WaitReason(to_end, concurrency);
    if (reported != reason) {
      changed = counted;
      if (waiting) waiting(reason);
    }
    reported = std::move(reason);
    for (bool blocked = true; blocked;) {
      const SteadyTime now = SystemClock().Steady();
      KINETIC_RETURN_IF_ERROR(pause(PauseTime(to_end, concurrency, now - changed)));
      KINETIC_ASSIGN_OR_RETURN(blocked, AllCount(ahead.first));
      blocked = blocked && now - counted < kCountAge;
    }
  }
}

}  // namespace kinetic::local
