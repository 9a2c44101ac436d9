#include "base/process/subprocess.h"

#include "kinetic/try.h"

#include "base/process/child.h"
#include "base/strings.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace kinetic {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kGrace{5000};

/// Returns an anonymous file with the program's standard input, or an empty descriptor if there is
/// none.
Result<UniqueFd> InputOf(const std::string& bytes) {
  if (bytes.empty()) return UniqueFd();
  UniqueFd file(::memfd_create("stdin", MFD_CLOEXEC));
  if (!file) return Failure(ErrnoError(errno, "making", "a file in memory"));
  KINETIC_RETURN_IF_ERROR(PosixFileSystem().Write(file.get(), bytes));
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (auto& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Assignments(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> assignments;
  assignments.reserve(variables.size());
  for (const auto& [name, value] : variables) {
    assignments.push_back(name);
    assignments.back().append("=").append(value);
  }
  return assignments;
}

/// Returns the errno if the child could not start the program, or 0.
int ReadReport(const UniqueFd& report) {
  int error_number = 0;
  ssize_t count = 0;
  while ((count = ::read(report.get(), &error_number, sizeof error_number)) < 0 && errno == EINTR) {
  }
  return count == static_cast<ssize_t>(sizeof error_number) ? error_number : 0;
}

/// Terminates a process group with SIGTERM, then with SIGKILL.
class Terminator {
 public:
  explicit Terminator(pid_t group) : group_(group) {}

  void RequestStop() {
    if (requested_) return;
    requested_ = SystemClock().Steady();
    ::kill(-group_, SIGTERM);
  }
  /// Returns the milliseconds until SIGKILL is due, or -1, for poll.
  int Timeout() {
    if (!requested_ || forced_) return -1;
    const auto left = *requested_ + kGrace - SystemClock().Steady();
    if (left.count() > 0) {
      return static_cast<int>(std::chrono::duration_cast<milliseconds>(left).count()) + 1;
    }
    forced_ = true;
    ::kill(-group_, SIGKILL);
    return -1;
  }

 private:
  pid_t group_;
  std::optional<SteadyTime> requested_;
  bool forced_ = false;
};

/// Passes available output to `sink`; closes the descriptor at end of file.
void Drain(UniqueFd& fd, const std::function<void(std::string_view)>& sink) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
  if (count > 0) {
    if (sink) sink({buffer.data(), static_cast<std::size_t>(count)});
  } else if (count == 0 || errno != EINTR) {
    fd.Reset();
  }
}

ExitStatus Reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

/// Makes this process group the foreground group of the terminal again.
void ReclaimTerminal() {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTTOU);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Reads both pipes until the process ends. A daemon started by the program may hold the pipes open
/// longer.
void ReadOutput(const Subprocess& subprocess, pid_t pid, UniqueFd out, UniqueFd err,
                const std::stop_token& stop) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  Pipe wake;
  if (auto made = MakePipe()) wake = *std::move(made);
  const std::stop_callback on_stop(stop, [&] { (void)!::write(wake.write.get(), "x", 1); });
  Terminator terminator(pid);
  bool running = true;
  while (running || out || err) {
    std::array<struct pollfd, 4> polled{{{out.get(), POLLIN, 0},
                                         {err.get(), POLLIN, 0},
                                         {running ? process.get() : -1, POLLIN, 0},
                                         {wake.read.get(), POLLIN, 0}}};
    if (stop.stop_requested()) {
      terminator.RequestStop();
      polled[3].fd = -1;
    }
    const int ready = ::poll(polled.data(), polled.size(), running ? terminator.Timeout() : 100);
    if (ready < 0 && errno != EINTR) return;
    if (ready == 0 && !running) return;
    if (polled[0].revents != 0) Drain(out, subprocess.on_stdout);
    if (polled[1].revents != 0) Drain(err, subprocess.on_stderr);
    if (polled[2].revents != 0) running = false;
  }
}

}  // namespace

std::optional<Path> FindExecutable(std::string_view name, std::string_view search_path) {
  std::error_code ignored;
  for (const auto folder : Split(search_path, ':')) {
    Path candidate = Path(folder.empty() ? "." : folder) / name;
    if (std::filesystem::is_regular_file(candidate, ignored) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

Result<ExitStatus> Run(const Subprocess& subprocess, std::stop_token stop) {
  Path program = subprocess.argv.at(0);
  if (program.native().find('/') == std::string::npos) {
    const auto found = FindExecutable(program.native(), subprocess.search_path);
    if (!found)
      return Fail(ErrorCode::kNotFound, "the program " + program.native() + " is not installed");
    program = *found;
  }
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd input, InputOf(subprocess.input));
  KINETIC_ASSIGN_OR_RETURN(Pipe out, MakePipe());
  KINETIC_ASSIGN_OR_RETURN(Pipe err, MakePipe());
  KINETIC_ASSIGN_OR_RETURN(Pipe report, MakePipe());
  std::vector<std::string> argv = subprocess.argv;
  std::vector<std::string> environment = Assignments(subprocess.environment);
  const auto argv_pointers = Pointers(argv);
  const auto environment_pointers = Pointers(environment);
  const WatchedChild plan{.program = program.c_str(),
                          .argv = argv_pointers.data(),
                          .environment = environment_pointers.data(),
                          .directory = subprocess.working_directory.c_str(),
                          .in = subprocess.terminal ? STDIN_FILENO : input.get(),
                          .out = out.write.get(),
                          .err = subprocess.terminal ? STDERR_FILENO : err.write.get(),
                          .terminal = subprocess.terminal,
                          .report = report.write.get(),
                          .parent = ::getpid()};
  const pid_t pid = ::fork();
  if (pid < 0) return Failure(ErrnoError(errno, "starting", program));
  if (pid == 0) RunWatched(plan);
  out.write.Reset();
  err.write.Reset();
  report.write.Reset();
  if (const int failed = ReadReport(report.read); failed != 0) {
    Reap(pid);
    if (subprocess.terminal) ReclaimTerminal();
    return Failure(ErrnoError(failed, "starting", program));
  }
  ReadOutput(subprocess, pid, std::move(out.read), std::move(err.read), stop);
  const ExitStatus status = Reap(pid);
  if (subprocess.terminal) ReclaimTerminal();
  if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped " + argv[0]);
  return status;
}

}  // namespace kinetic
