#include "local/process_identity.h"

#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "base/strings.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace kinetic::local {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMinNonce = 16;
constexpr milliseconds kPollInterval{20};
constexpr milliseconds kKillTimeout{5000};

/// Reads a file of /proc. Returns an empty string if the process has ended or belongs to another
/// user.
std::string ReadProc(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string content;
  if (!fd) return content;
  char buffer[8192];
  for (;;) {
    const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return content;
    content.append(buffer, static_cast<std::size_t>(count));
  }
}

struct ProcessStat {
  char state = 'Z';
  pid_t parent = 0;
  std::uint64_t start_time = 0;
};

// The name in the second field may contain spaces and parentheses, so parsing starts after the last
// ')'.
std::optional<ProcessStat> ReadStat(pid_t pid) {
  const std::string text = ReadProc("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos || end + 2 > text.size()) return std::nullopt;
  const auto fields = Split(std::string_view(text).substr(end + 2), ' ');
  constexpr std::size_t kStartTime = 19;  // field 22, counted from field 3
  if (fields.size() <= kStartTime || fields[0].empty()) return std::nullopt;
  const auto parent = ParseInt(fields[1]);
  const auto start = ParseInt(fields[kStartTime]);
  if (!parent || !start) return std::nullopt;
  return ProcessStat{fields[0][0], static_cast<pid_t>(*parent), static_cast<std::uint64_t>(*start)};
}

bool IsGone(char state) { return state == 'Z' || state == 'X'; }

std::vector<pid_t> AllProcesses() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
  if (!folder) return pids;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name.find_first_not_of("0123456789") != std::string_view::npos) continue;
    if (const auto pid = ParseInt(name)) pids.push_back(static_cast<pid_t>(*pid));
  }
  return pids;
}

bool HasVariable(pid_t pid, const std::string& assignment) {
  const std::string environment = ReadProc("/proc/" + std::to_string(pid) + "/environ");
  std::size_t place = 0;
  while ((place = environment.find(assignment, place)) != std::string::npos) {
    const bool begins = place == 0 || environment[place - 1] == '\0';
    const std::size_t end = place + assignment.size();
    // The nonce of a task begins with that of its job and '-'.
    const char next = end == environment.size() ? '\0' : environment[end];
    if (begins && (next == '\0' || next == '-')) return true;
    ++place;
  }
  return false;
}

std::string BootId() { return std::string(Trim(ReadProc("/proc/sys/kernel/random/boot_id"))); }

/// Returns whether the calling process has no children, including zombies.
bool HasNoChild() {
  siginfo_t child;
  return ::waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

void ReapChildren() {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

std::string Numbers(const std::vector<Process>& processes) {
  std::vector<std::string> numbers;
  numbers.reserve(processes.size());
  for (const auto& process : processes) numbers.push_back(std::to_string(process.pid));
  return Join(numbers, ", ");
}

/// Polls until no process is left or the timeout passes. Returns the remaining processes. With
/// `kill`, each poll kills them, because they may have forked.
Result<std::vector<Process>> WaitForNone(std::string_view nonce, std::optional<pid_t> ancestor,
                                         Clock& clock, std::stop_token stop, milliseconds timeout,
                                         bool kill) {
  const SteadyTime end = clock.Steady() + timeout;
  for (;;) {
    if (ancestor == ::getpid()) ReapChildren();
    auto left = ProcessesOf(nonce, ancestor);
    if (left.empty()) return left;
    if (kill) Signal(left, SIGKILL);
    if (clock.Steady() >= end) return left;
    KINETIC_RETURN_IF_ERROR(clock.Sleep(kPollInterval, stop));
  }
}

}  // namespace

std::optional<std::uint64_t> StartTime(pid_t pid) {
  const auto stat = ReadStat(pid);
  if (!stat || IsGone(stat->state)) return std::nullopt;
  return stat->start_time;
}

Result<SupervisorIdentity> IdentifyThisProcess(std::string_view nonce) {
  errno = 0;
  const auto start = StartTime(::getpid());
  const std::string boot = BootId();
  if (!start || boot.empty()) {
    if (errno != 0 && errno != ENOENT) return Failure(ErrnoError(errno, "reading", "/proc"));
    return Fail(ErrorCode::kFailedPrecondition, "cannot read /proc: it is not mounted",
                "mount /proc; kinetic needs it to find the processes of a job");
  }
  return SupervisorIdentity{::getpid(), *start, boot, std::string(nonce)};
}

std::string MachineIdentity() {
  char name_space[64] = {};
  (void)!::readlink("/proc/self/ns/pid", name_space, sizeof name_space - 1);
  return Sha256::Of(ReadProc("/etc/machine-id") + "\n" +
                    ReadProc("/proc/sys/kernel/random/boot_id") + "\n" + name_space)
      .Hex();
}

bool IsAlive(const SupervisorIdentity& identity) {
  if (identity.pid <= 0) return false;
  const auto start = StartTime(static_cast<pid_t>(identity.pid));
  return start && *start == identity.start_time && BootId() == identity.boot_id;
}

bool IsStopped(pid_t pid) {
  const auto stat = ReadStat(pid);
  return stat && (stat->state == 'T' || stat->state == 't');
}

std::vector<Process> ProcessesOf(std::string_view nonce, std::optional<pid_t> ancestor) {
  const std::string assignment = std::string(kNonceVariable) + "=" + std::string(nonce);
  const bool by_nonce = nonce.size() >= kMinNonce;
  // Orphaned descendants become children of a subreaper, so without children it has no descendants.
  // This check is faster than reading all of /proc.
  if (!by_nonce && ancestor == ::getpid() && HasNoChild()) return {};
  std::multimap<pid_t, pid_t> children;
  std::map<pid_t, ProcessStat> stats;
  std::vector<pid_t> pending;
  for (const pid_t pid : AllProcesses()) {
    const auto stat = ReadStat(pid);
    if (!stat) continue;
    stats.emplace(pid, *stat);
    children.emplace(stat->parent, pid);
    if (by_nonce && !IsGone(stat->state) && HasVariable(pid, assignment)) pending.push_back(pid);
  }
  if (ancestor) pending.push_back(*ancestor);

  std::set<pid_t> seen;
  std::vector<Process> found;
  while (!pending.empty()) {
    const pid_t pid = pending.back();
    pending.pop_back();
    if (!seen.insert(pid).second) continue;
    const auto stat = stats.find(pid);
    const bool counts = pid != ancestor && pid != ::getpid() && stat != stats.end();
    if (counts && !IsGone(stat->second.state)) found.push_back({pid, stat->second.start_time});
    const auto [first, last] = children.equal_range(pid);
    for (auto child = first; child != last; ++child) pending.push_back(child->second);
  }
  std::sort(found.begin(), found.end(),
            [](const Process& a, const Process& b) { return a.pid < b.pid; });
  return found;
}

void Signal(const std::vector<Process>& processes, int signal) {
  for (const auto& process : processes) {
    if (StartTime(process.pid) == process.start_time) ::kill(process.pid, signal);
  }
}

Status EndProcesses(std::string_view nonce, milliseconds grace, Clock& clock, std::stop_token stop,
                    std::optional<pid_t> ancestor) {
  if (grace.count() > 0) {
    Signal(ProcessesOf(nonce, ancestor), SIGTERM);
    KINETIC_ASSIGN_OR_RETURN(const auto left,
                             WaitForNone(nonce, ancestor, clock, stop, grace, false));
    if (left.empty()) return {};
  }
  KINETIC_ASSIGN_OR_RETURN(const auto left,
                           WaitForNone(nonce, ancestor, clock, stop, kKillTimeout, true));
  if (left.empty()) return {};
  return Fail(ErrorCode::kUnavailable,
              "cannot end the job's processes: " + Numbers(left) + " still running after SIGKILL",
              "they belong to another user, or are waiting for a device");
}

}  // namespace kinetic::local
