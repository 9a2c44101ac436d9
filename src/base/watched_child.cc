#include "base/watched_child.h"

#include "base/child_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

// Only calls that are safe between fork and exec: other threads held who knows what.
namespace kinetic {
namespace {

/// Not SIGTERM, with which a group is asked to end.
constexpr int kParentDied = SIGUSR1;

/// As _exit, in which a sanitizer would judge what the parent's threads have left in this process.
[[noreturn]] void Leave(int code) {
  ::syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

[[noreturn]] void Abandon(int report) {
  const int error_number = errno;
  (void)!::write(report, &error_number, sizeof error_number);
  Leave(127);
}

/// Puts 0 to 2 in place, first lifting what may lie there out of the way.
bool PlaceDescriptors(const WatchedChild& child) {
  const int given = child.in >= 0 ? child.in : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int in = given < 0 ? -1 : ::fcntl(given, F_DUPFD_CLOEXEC, 3);
  const int out = ::fcntl(child.out, F_DUPFD_CLOEXEC, 3);
  const int err = ::fcntl(child.err, F_DUPFD_CLOEXEC, 3);
  return in >= 0 && out >= 0 && err >= 0 && ::dup2(in, 0) == 0 && ::dup2(out, 1) == 1 &&
         ::dup2(err, 2) == 2;
}

[[noreturn]] void Execute(const WatchedChild& child, pid_t watcher) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != watcher) Leave(127);
  const int report = ::fcntl(child.report, F_DUPFD_CLOEXEC, 3);
  ResetSignals();
  if (PlaceDescriptors(child) && (*child.directory == '\0' || ::chdir(child.directory) == 0)) {
    ::execve(child.program, child.argv, child.environment);
  }
  Abandon(report);
}

/// Ends this process in the way in which the program has ended.
[[noreturn]] void EndAs(int status) {
  if (!WIFSIGNALED(status)) Leave(WEXITSTATUS(status));
  const struct rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ResetSignals();
  ::kill(::getpid(), WTERMSIG(status));
  Leave(128 + WTERMSIG(status));
}

}  // namespace

void RunWatched(const WatchedChild& child) {
  ::setpgid(0, 0);
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  if (child.terminal) ::tcsetpgrp(0, ::getpgrp());  // no SIGTTOU stops it: it is blocked
  ::prctl(PR_SET_PDEATHSIG, kParentDied);
  if (::getppid() != child.parent) Leave(127);  // it died before it could be told
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &standard, nullptr);  // ignored, it would not come
  ::sigaction(kParentDied, &standard, nullptr);
  const pid_t self = ::getpid();
  const pid_t program = ::fork();
  if (program < 0) Abandon(child.report);
  if (program == 0) Execute(child, self);
  // Locks and pipes of the parent are not for a watcher to hold.
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
    if (ended == program) EndAs(status);
  }
}

}  // namespace kinetic
