#include "base/process/child.h"

#include "base/files/file_system.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

// RunWatched and its helpers make only async-signal-safe calls: other threads may hold locks at the
// fork.

namespace kinetic {
namespace {

/// Sent by the kernel when the parent dies. SIGTERM is already the request to terminate the group.
constexpr int kParentDied = SIGUSR1;

/// Exits without the leak checks that sanitizers add to _exit.
[[noreturn]] void ExitNow(int code) {
  ::syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

[[noreturn]] void ReportErrno(int report) {
  const int error_number = errno;
  (void)!::write(report, &error_number, sizeof error_number);
  ExitNow(127);
}

/// Installs descriptors 0 to 2. Duplicates the sources above 2 first, so that none is overwritten.
bool InstallStandardStreams(const WatchedChild& child) {
  const int source = child.in >= 0 ? child.in : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int in = source < 0 ? -1 : ::fcntl(source, F_DUPFD_CLOEXEC, 3);
  const int out = ::fcntl(child.out, F_DUPFD_CLOEXEC, 3);
  const int err = ::fcntl(child.err, F_DUPFD_CLOEXEC, 3);
  return in >= 0 && out >= 0 && err >= 0 && ::dup2(in, 0) == 0 && ::dup2(out, 1) == 1 &&
         ::dup2(err, 2) == 2;
}

[[noreturn]] void Execute(const WatchedChild& child, pid_t watcher) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != watcher) ExitNow(127);
  const int report = ::fcntl(child.report, F_DUPFD_CLOEXEC, 3);
  ResetSignals();
  if (InstallStandardStreams(child) &&
      (*child.directory == '\0' || ::chdir(child.directory) == 0)) {
    ::execve(child.program, child.argv, child.environment);
  }
  ReportErrno(report);
}

/// Exits with the program's exit code, or dies by the same signal.
[[noreturn]] void ExitAs(int status) {
  if (!WIFSIGNALED(status)) ExitNow(WEXITSTATUS(status));
  const struct rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ResetSignals();
  ::kill(::getpid(), WTERMSIG(status));
  ExitNow(128 + WTERMSIG(status));
}

}  // namespace

Result<Pipe> MakePipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) < 0) return Failure(ErrnoError(errno, "creating", "a pipe"));
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

void ResetSignals() {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

SpawnAttributes::SpawnAttributes(int flags) {
  posix_spawn_file_actions_init(&actions_);
  posix_spawnattr_init(&attributes_);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes_, &none);
  posix_spawnattr_setsigdefault(&attributes_, &all);
  constexpr int kSignals = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  posix_spawnattr_setflags(&attributes_, static_cast<short>(flags | kSignals));
}

SpawnAttributes::~SpawnAttributes() {
  posix_spawn_file_actions_destroy(&actions_);
  posix_spawnattr_destroy(&attributes_);
}

void RunWatched(const WatchedChild& child) {
  ::setpgid(0, 0);
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  if (child.terminal) ::tcsetpgrp(0, ::getpgrp());  // SIGTTOU is blocked
  ::prctl(PR_SET_PDEATHSIG, kParentDied);
  if (::getppid() != child.parent) ExitNow(127);  // the parent died before prctl
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &standard, nullptr);  // an ignored SIGCHLD is not delivered
  ::sigaction(kParentDied, &standard, nullptr);
  const pid_t self = ::getpid();
  const pid_t program = ::fork();
  if (program < 0) ReportErrno(child.report);
  if (program == 0) Execute(child, self);
  // Inherited locks and pipes would stay open as long as this process.
  ::syscall(SYS_close_range, 0, ~0U, 0);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, kParentDied);
  for (;;) {
    const int signal = ::sigwaitinfo(&wanted, nullptr);
    if (signal == kParentDied) ::kill(0, SIGKILL);
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(program, &status, WNOHANG)) < 0 && errno == EINTR) {
    }
    if (ended == program) ExitAs(status);
  }
}

}  // namespace kinetic
