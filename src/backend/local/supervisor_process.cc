#include "backend/local/supervisor_process.h"

#include "kinetic/try.h"

#include "base/process/child.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "local/process_identity.h"
#include "local/runtime.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <functional>
#include <optional>
#include <utility>

namespace kinetic::backend {
namespace {

using std::chrono::milliseconds;

/// The supervisor's standard input and output. A socket, because writing to a closed pipe would
/// raise SIGPIPE in programs that use this library.
struct Channel {
  UniqueFd ours;
  UniqueFd theirs;
};

Result<Channel> MakeChannel() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
    return Failure(ErrnoError(errno, "cannot create", "a channel to the supervisor"));
  }
  return Channel{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

/// @param starting  -1, or not one of the standard descriptors.
void Prepare(SpawnAttributes& spawn, const SupervisorStart& start, int channel, int starting) {
  posix_spawn_file_actions_adddup2(spawn.actions(), channel, 0);
  posix_spawn_file_actions_adddup2(spawn.actions(), channel, 1);
  posix_spawn_file_actions_addopen(spawn.actions(), 2, start.diagnostics.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  // The daemon must not inherit descriptors of the caller, such as a lock, or a pipe that is read
  // to its end.
  if (starting >= 0)
    posix_spawn_file_actions_adddup2(spawn.actions(), starting, local::kStartingFd);
  posix_spawn_file_actions_addclosefrom_np(spawn.actions(), local::kStartingFd + (starting >= 0));
  posix_spawn_file_actions_addchdir_np(spawn.actions(), start.folder.c_str());
}

Result<pid_t> Spawn(const SupervisorStart& start, int channel) {
  std::string program = start.runner.native();
  std::string command = "supervise";
  std::string path = "PATH=" + start.search_path;
  std::array<char*, 3> argv{program.data(), command.data(), nullptr};
  std::string nonce = std::string(local::kNonceVariable) + "=" + start.nonce;
  std::array<char*, 3> environment{path.data(), nonce.data(), nullptr};
  const UniqueFd starting(
      start.starting < 0 ? -1 : ::fcntl(start.starting, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  SpawnAttributes spawn(POSIX_SPAWN_SETSID);
  Prepare(spawn, start, channel, starting.get());
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, start.runner.c_str(), spawn.actions(), spawn.attributes(),
                                 argv.data(), environment.data());
  if (failed != 0) {
    Error error = ErrnoError(failed, "cannot start the job's supervisor", start.runner);
    error.hint = "kinetic-runner is installed with kinetic; set another path with --runner";
    return Failure(std::move(error));
  }
  return pid;
}

/// Sends the request. If the supervisor has exited, reading its answer fails.
void Send(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  ::shutdown(fd, SHUT_WR);
}

/// Reads until the ready line or the end. Returns nullopt if the supervisor is ready, else its
/// output. A supervisor that has the request may already run the job. After a stop request, waits
/// for its answer for a limited time, so that the job is not considered as never started.
Result<std::optional<std::string>> AwaitReady(int fd, milliseconds answer_timeout,
                                              const std::stop_token& stop) {
  const UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const std::stop_callback on_stop(stop, [&] { (void)!::eventfd_write(wake.get(), 1); });
  std::string answer;
  std::optional<SteadyTime> until;
  for (;;) {
    if (!until && stop.stop_requested()) until = SystemClock().Steady() + answer_timeout;
    int wait = -1;
    if (until) {
      const auto left = std::chrono::ceil<milliseconds>(*until - SystemClock().Steady());
      if (left.count() <= 0)
        return Fail(ErrorCode::kCancelled, "stopped while the job was started");
      wait = static_cast<int>(left.count());
    }
    std::array<struct pollfd, 2> polled{{{fd, POLLIN, 0}, {until ? -1 : wake.get(), POLLIN, 0}}};
    if (::poll(polled.data(), polled.size(), wait) <= 0 || polled[0].revents == 0) continue;
    std::array<char, 256> buffer;
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return answer;
    answer.append(buffer.data(), static_cast<std::size_t>(count));
    if (answer.find(local::kSupervisorReady) != std::string::npos) return std::nullopt;
  }
}

/// Includes its last output: from the socket, which works on a full disk, else from its file.
Error NotReady(const SupervisorStart& start, pid_t pid, std::string_view said_last) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string how = WIFSIGNALED(status)
                              ? "was killed by signal " + std::to_string(WTERMSIG(status))
                              : "exited with code " + std::to_string(WEXITSTATUS(status));
  std::string words(Trim(said_last));
  const auto said = ReadFile(PosixFileSystem(), start.diagnostics, 1U << 20);
  if (words.empty() && said) {
    constexpr std::size_t kLastWords = 2000;
    std::string_view tail = Trim(*said);
    if (tail.size() > kLastWords) tail.remove_prefix(tail.size() - kLastWords);
    words = tail;
  }
  return Error{ErrorCode::kFailedPrecondition,
               "cannot start the job's supervisor: " + start.runner.native() + " " + how +
                   " before it was ready" + (words.empty() ? "" : ": " + words),
               !words.empty()
                   ? ""
                   : "check that " + start.runner.native() + " is from this release of kinetic",
               {}};
}

}  // namespace

Result<pid_t> StartSupervisor(const SupervisorStart& start, std::stop_token stop) {
  if (stop.stop_requested())
    return Fail(ErrorCode::kCancelled, "stopped before the job was started");
  KINETIC_ASSIGN_OR_RETURN(Channel channel, MakeChannel());
  KINETIC_ASSIGN_OR_RETURN(const pid_t pid, Spawn(start, channel.theirs.get()));
  channel.theirs.Reset();
  Send(channel.ours.get(), start.request);
  if (!start.await_ready) return pid;
  KINETIC_ASSIGN_OR_RETURN(const auto said,
                           AwaitReady(channel.ours.get(), start.answer_timeout, stop));
  if (said) return Failure(NotReady(start, pid, *said));
  return pid;
}

void ChildReaper::Add(pid_t process) {
  const std::lock_guard lock(mutex_);
  processes_.push_back(process);
}

void ChildReaper::Reap() {
  const std::lock_guard lock(mutex_);
  std::erase_if(processes_, [](pid_t process) {
    int status = 0;
    return ::waitpid(process, &status, WNOHANG) != 0;
  });
}

}  // namespace kinetic::backend
