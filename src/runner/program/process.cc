#include "runner/program/process.h"

#include "kinetic/try.h"

#include "base/process/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace kinetic::runner {
namespace {

/// The maximum for an unprivileged process, so that the program seldom blocks on a full pipe.
constexpr int kPipeBytes = 1 << 20;

/// Returns a socket pair whose first end is read without blocking.
Result<Pipe> MakeControlSocket() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
    return Failure(ErrnoError(errno, "opening", "a control socket"));
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// Returns a large pipe that is read without blocking.
Result<Pipe> MakeOutputPipe() {
  KINETIC_ASSIGN_OR_RETURN(Pipe pipe, MakePipe());
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(pipe.read.get(), F_SETPIPE_SZ, kPipeBytes);
  return pipe;
}

/// What the child needs between fork and exec, where it must not allocate.
struct ChildPlan {
  const char* program;
  char** argv;
  char** environment;
  const char* directory;
  const char* cgroup_entry;
  const local::PrivateMounts* mounts;
  int out, err, control, report;
  pid_t parent;
};

[[noreturn]] void Abandon(const ChildPlan& plan, int operation) {
  const int words[2] = {errno, operation};
  (void)!::write(plan.report, words, sizeof words);
  ::_exit(127);
}

enum Operation : int { kDirectory, kExecute, kPrepare, kMount };

/// Puts the descriptors in place: 0 to 2, the control pipe, and the report, which exec closes.
bool PlaceDescriptors(ChildPlan& plan) {
  constexpr int kReport = kControlDescriptor + 1;
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  // The sources may have numbers that are needed as destinations; move them away first.
  const int report = ::fcntl(plan.report, F_DUPFD_CLOEXEC, 16);
  const int out = ::fcntl(plan.out, F_DUPFD_CLOEXEC, 16);
  const int err = ::fcntl(plan.err, F_DUPFD_CLOEXEC, 16);
  const int control = plan.control < 0 ? -1 : ::fcntl(plan.control, F_DUPFD_CLOEXEC, 16);
  if (null < 0 || report < 0 || out < 0 || err < 0) return false;
  if (::dup2(null, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) return false;
  if (control >= 0 && ::dup2(control, kControlDescriptor) < 0) return false;
  if (::dup3(report, kReport, O_CLOEXEC) < 0) return false;
  plan.report = kReport;
  ::syscall(SYS_close_range, kReport + 1, ~0U, 0);
  if (control < 0) ::close(kControlDescriptor);
  return true;
}

void EnterCgroup(const char* entry) {
  const int fd = ::open(entry, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  (void)!::write(fd, "0", 1);
  ::close(fd);
}

[[noreturn]] void RunChild(ChildPlan plan) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // the parent has already ended
  if (*plan.cgroup_entry != '\0') EnterCgroup(plan.cgroup_entry);
  ResetSignals();
  if (!PlaceDescriptors(plan)) Abandon(plan, kPrepare);
  if (plan.mounts != nullptr) {
    errno = plan.mounts->Enter();
    if (errno != 0) Abandon(plan, kMount);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a new user namespace may reset it
  }
  if (*plan.directory != '\0' && ::chdir(plan.directory) < 0) Abandon(plan, kDirectory);
  ::execve(plan.program, plan.argv, plan.environment);
  Abandon(plan, kExecute);
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (auto& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Returns the file to execute: a name is found in the program's own PATH, a relative path is
/// relative to its working directory.
Result<Path> FindProgram(const Program& program) {
  const std::string& name = program.argv.at(0);
  if (name.find('/') != std::string::npos) return program.working_directory / name;
  const auto path = program.environment.find("PATH");
  const auto found =
      FindExecutable(name, path == program.environment.end() ? std::string() : path->second);
  if (found) return *found;
  return Fail(ErrorCode::kNotFound, "the program '" + name + "' is not in the job's PATH",
              name.find(' ') == std::string::npos
                  ? "to run a program in the bundle, specify its path: ./" + name
                  : "pass the program and its arguments as separate words: " + name);
}

/// Explains why a file that exists cannot be executed, or where to find one that does not exist.
std::string StartHint(int error_number, const Path& name, const Path& path) {
  std::error_code ignored;
  if (error_number == ENOENT && std::filesystem::exists(path, ignored))
    return "the file exists, but the interpreter in its first line does not";
  if (error_number == ENOENT && name.is_relative()) return "'kinetic bundle ls' lists the bundle";
  if (error_number == ENOENT)
    return "the path must exist where the job runs; a program in the bundle has a relative path";
  if (error_number == EACCES) return "make the file executable: chmod +x " + name.native();
  if (error_number == ENOEXEC)
    return "the file is neither a program for this machine nor a script with #! in its first line";
  return {};
}

/// Names the program as the user does: a path by what was specified, a name by what it stands for.
Failure StartFailure(const int (&words)[2], const Program& program, const Path& path) {
  const std::string& word = program.argv.at(0);
  const Path name = word.find('/') == std::string::npos ? path : Path(word);
  if (words[1] == kDirectory) {
    return Failure(ErrnoError(words[0], "entering", program.working_directory));
  }
  if (words[1] == kMount) {
    Error error = ErrnoError(words[0], "mounting the data of", name);
    error.hint = "pass the data as an argument instead: {$path: /data}";
    return Failure(std::move(error));
  }
  Error error = ErrnoError(words[0], "starting", name);
  error.hint = StartHint(words[0], name, path);
  return Failure(std::move(error));
}

}  // namespace

Result<RunningProgram> StartProgram(const Program& program) {
  KINETIC_ASSIGN_OR_RETURN(const Path path, FindProgram(program));
  KINETIC_ASSIGN_OR_RETURN(Pipe out, MakeOutputPipe());
  KINETIC_ASSIGN_OR_RETURN(Pipe err, MakeOutputPipe());
  KINETIC_ASSIGN_OR_RETURN(Pipe report, MakeOutputPipe());
  Pipe control;
  if (!program.exchange.empty()) {
    KINETIC_ASSIGN_OR_RETURN(control,
                             program.awaits_calls ? MakeControlSocket() : MakeOutputPipe());
  }
  ::fcntl(report.read.get(), F_SETFL, 0);

  std::vector<std::string> argv = program.argv;
  std::vector<std::string> environment;
  environment.reserve(program.environment.size());
  for (const auto& [name, value] : program.environment) environment.push_back(name + "=" + value);
  const std::vector<char*> argv_pointers = Pointers(argv);
  const std::vector<char*> environment_pointers = Pointers(environment);
  const ChildPlan plan{path.c_str(),
                       const_cast<char**>(argv_pointers.data()),
                       const_cast<char**>(environment_pointers.data()),
                       program.working_directory.c_str(),
                       program.cgroup_entry.c_str(),
                       program.mounts ? &*program.mounts : nullptr,
                       out.write.get(),
                       err.write.get(),
                       control.write.get(),
                       report.write.get(),
                       ::getpid()};
  const pid_t pid = ::fork();
  if (pid < 0) return Failure(ErrnoError(errno, "starting", path));
  if (pid == 0) RunChild(plan);

  report.write.Reset();
  int words[2] = {0, 0};
  ssize_t count = 0;
  while ((count = ::read(report.read.get(), words, sizeof words)) < 0 && errno == EINTR) {
  }
  if (count == static_cast<ssize_t>(sizeof words)) {
    ::waitpid(pid, nullptr, 0);
    return StartFailure(words, program, path);
  }
  UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  // Old kernels, sandboxes and valgrind have no pidfd; then the program's end is polled for.
  if (!process && errno != ENOSYS && errno != EPERM) {
    return Failure(ErrnoError(errno, "watching", path));
  }
  return RunningProgram{pid, std::move(process), std::move(out.read), std::move(err.read),
                        std::move(control.read)};
}

}  // namespace kinetic::runner
