#include "runner/daemon.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace kinetic::runner {
namespace {

/// The first process: exits when the daemon is ready, or with an error when it is gone.
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
  if (!fd || ::dup2(fd.get(), from) < 0) return Failure(ErrnoError(errno, "opening", file));
  return {};
}

}  // namespace

Result<Daemon> Daemon::Detach() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) < 0) return Failure(ErrnoError(errno, "making", "a pipe"));
  const UniqueFd read(fds[0]);
  UniqueFd write(fds[1]);
  const pid_t child = ::fork();
  if (child < 0) return Failure(ErrnoError(errno, "starting", "the supervisor"));
  if (child > 0) {
    write.Reset();
    AwaitDaemon(read.get());
  }
  ::setsid();
  // The leader of a session may get a controlling terminal by opening one; its child cannot.
  const pid_t grandchild = ::fork();
  if (grandchild < 0) return Failure(ErrnoError(errno, "starting", "the supervisor"));
  if (grandchild > 0) ::_exit(0);
  ::umask(022);
  return Daemon(std::move(write));
}

Status Daemon::Ready(std::string_view answer, const Path& diagnostics) {
  // A client that is gone does not stop the job: what it is told may be lost.
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
  return {};
}

}  // namespace kinetic::runner
