#include "runner/local/daemon.h"

#include "kinetic/try.h"

#include "base/process/child.h"
#include "base/time/clock.h"
#include "local/process_identity.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace kinetic::runner {
namespace {

/// Runs in the original process: exits when the daemon is ready or has ended.
[[noreturn]] void AwaitDaemon(int fd) {
  char answer = 0;
  ssize_t count = 0;
  while ((count = ::read(fd, &answer, 1)) < 0 && errno == EINTR) {
  }
  ::_exit(count == 1 ? 0 : 1);
}

Status Redirect(int from, const Path& file, int flags) {
  UniqueFd fd;
  do {
    fd.Reset(::open(file.c_str(), flags | O_CLOEXEC, 0600));
  } while (!fd && errno == EINTR);
  if (!fd || ::dup2(fd.get(), from) < 0) return Failure(ErrnoError(errno, "cannot open", file));
  return {};
}

/// @param ready  keeps the original process waiting until it is closed; -1 if that has exited.
[[noreturn]] void Guard(pid_t supervisor, int ready) {
  // Only the supervisor may hold locks, and the client waits until its standard output is closed.
  // `ready` stays open, so that the client never sees a supervisor that is about to exit.
  constexpr int kKept = STDERR_FILENO + 1;
  const bool keeps = ready >= 0 && ::dup2(ready, kKept) == kKept;
  ::close_range(keeps ? kKept + 1 : kKept, ~0U, 0);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) (void)Redirect(fd, "/dev/null", O_RDWR);
  // Orphans of a killed supervisor become children of this process.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int signal : {SIGTERM, SIGCHLD}) sigaddset(&awaited, signal);
  ::sigprocmask(SIG_BLOCK, &awaited, nullptr);
  // Forwards SIGTERM: the queue names this process, and a child does not inherit pending signals.
  pid_t ended = 0;
  while ((ended = ::waitpid(supervisor, nullptr, WNOHANG)) <= 0) {
    if (ended < 0 && errno != EINTR) break;
    if (ended == 0 && ::sigwaitinfo(&awaited, nullptr) == SIGTERM) ::kill(supervisor, SIGTERM);
  }
  (void)local::EndProcesses({}, std::chrono::milliseconds(0), SystemClock(), {}, ::getpid());
  ::_exit(0);
}

}  // namespace

Result<pid_t> ForkAlone() {
  constexpr int kAttempts = 1000;
  constexpr std::chrono::milliseconds kThreadPause{1};
  for (int i = 0; i < kAttempts; ++i) {
    KINETIC_ASSIGN_OR_RETURN(const auto threads,
                             PosixFileSystem().ReadDirectory("/proc/self/task"));
    if (threads.size() == 1) {
      const pid_t child = ::fork();
      if (child < 0) return Failure(ErrnoError(errno, "starting", "a supervisor"));
      return child;
    }
    KINETIC_RETURN_IF_ERROR(SystemClock().Sleep(kThreadPause, {}));
  }
  return Fail(ErrorCode::kInternal, "cannot fork the supervisor: it has several threads");
}

Result<Daemon> Daemon::Detach(UniqueFd starting) {
  KINETIC_ASSIGN_OR_RETURN(Pipe pipe, MakePipe());
  const pid_t child = ::fork();
  if (child < 0) return Failure(ErrnoError(errno, "starting", "the supervisor"));
  if (child > 0) {
    pipe.write.Reset();
    AwaitDaemon(pipe.read.get());
  }
  ::setsid();
  ::umask(022);
  return Daemon(std::move(pipe.write), std::move(starting));
}

Status Daemon::Split() {
  KINETIC_ASSIGN_OR_RETURN(const pid_t child, ForkAlone());
  if (child > 0) Guard(child, ready_.get());
  return {};
}

Status Daemon::Ready(std::string_view answer, const Path& diagnostics) {
  if (!ready_) return {};
  // The job continues if the client has ended, so errors are ignored.
  (void)!::write(STDOUT_FILENO, answer.data(), answer.size());
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) {
    if (auto redirected = Redirect(fd, "/dev/null", O_RDWR); !redirected) return redirected;
  }
  if (auto redirected = Redirect(STDERR_FILENO, diagnostics, O_WRONLY | O_APPEND | O_CREAT);
      !redirected) {
    return redirected;
  }
  (void)!::write(ready_.get(), "r", 1);
  ready_.Reset();
  starting_.Reset();
  return {};
}

}  // namespace kinetic::runner
