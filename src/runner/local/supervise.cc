#include "kinetic/try.h"

#include "base/files/file_lock.h"
#include "base/process/child.h"
#include "connect/lazy_connection.h"
#include "local/process_identity.h"
#include "local/replace_file.h"
#include "local/runtime.h"
#include "runner/attempt/interruption.h"
#include "runner/diagnostics.h"
#include "runner/entry_points.h"
#include "runner/local/supervisor.h"
#include "runner/staging/job_store.h"
#include "store/open.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::runner {
namespace {

/// A process detached from the caller's session and process tree, so that it outlives terminal and
/// parent. The original process waits until the daemon is ready or has ended, and exits with 0 or
/// 1.
///
/// @threads  call before any thread starts.
class Daemon {
 public:
  /// Returns in the new process only.
  static Result<Daemon> Detach();

  /// Writes `answer` to standard output, closes standard input and output, lets the original
  /// process exit, and redirects standard error to `diagnostics`.
  Status Ready(std::string_view answer, const Path& diagnostics);

 private:
  explicit Daemon(UniqueFd ready) : ready_(std::move(ready)) {}
  UniqueFd ready_;
};

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

/// Runs in the supervisor's parent: waits for the end of the supervisor, and ends the processes of
/// the job that it leaves if it is killed.
[[noreturn]] void Guard(pid_t supervisor) {
  // The client waits for the end of these.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) (void)Redirect(fd, "/dev/null", O_RDWR);
  // Orphans of a killed supervisor become children of this process.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  while (::waitpid(supervisor, nullptr, 0) < 0 && errno == EINTR) {
  }
  (void)local::EndProcesses({}, std::chrono::milliseconds(0), SystemClock(), {}, ::getpid());
  ::_exit(0);
}

Result<Daemon> Daemon::Detach() {
  KINETIC_ASSIGN_OR_RETURN(Pipe pipe, MakePipe());
  const pid_t child = ::fork();
  if (child < 0) return Failure(ErrnoError(errno, "starting", "the supervisor"));
  if (child > 0) {
    pipe.write.Reset();
    AwaitDaemon(pipe.read.get());
  }
  ::setsid();
  // A session leader may acquire a controlling terminal; its child cannot.
  const pid_t grandchild = ::fork();
  if (grandchild < 0) return Failure(ErrnoError(errno, "starting", "the supervisor"));
  if (grandchild > 0) {
    pipe.write.Reset();
    Guard(grandchild);
  }
  ::umask(022);
  return Daemon(std::move(pipe.write));
}

Status Daemon::Ready(std::string_view answer, const Path& diagnostics) {
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
  return {};
}

constexpr std::size_t kMaxRequestBytes = 64U << 20;
constexpr std::size_t kMaxIdentityBytes = 4096;
constexpr std::chrono::minutes kLockTimeout{5};
constexpr std::chrono::milliseconds kLockDelay{20};

Result<std::string> ReadRequest() {
  std::string request;
  char buffer[65536];
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failure(ErrnoError(errno, "reading", "the launch request"));
    if (count == 0) return request;
    request.append(buffer, static_cast<std::size_t>(count));
    if (request.size() > kMaxRequestBytes) {
      return Fail(ErrorCode::kResourceExhausted, "the launch request is longer than 64 MiB");
    }
  }
}

/// Fails if this process may open too few files for a job, which would fail at any later step.
Status CheckOpenFileLimit() {
  constexpr rlim_t kNeeded = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kNeeded) return {};
  return Fail(ErrorCode::kResourceExhausted,
              "the limit on open files is " + std::to_string(limit.rlim_cur) +
                  ", but a job needs " + std::to_string(kNeeded) + "; raise it: ulimit -n 65536");
}

/// Returns whether the supervisor that has the lock is alive and has written its identity.
bool IsAnnounced(FileSystem& fs, const local::Runtime& runtime) {
  const auto json = ReadFile(fs, runtime.Supervisor(), kMaxIdentityBytes);
  if (!json) return false;
  const auto identity = local::SupervisorIdentityFromJson(*json);
  return identity && local::IsAlive(*identity);
}

/// Returns the lock, or nullopt if another supervisor has the job. A client that tests the lock
/// holds it briefly, so the lock alone is no proof.
Result<std::optional<FileLock>> TakeLock(FileSystem& fs, Clock& clock,
                                         const local::Runtime& runtime) {
  const SteadyTime until = clock.Steady() + kLockTimeout;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(auto lock, FileLock::Try(fs, runtime.Lock()));
    if (lock || IsAnnounced(fs, runtime)) return lock;
    if (clock.Steady() >= until) {
      return Fail(ErrorCode::kUnavailable, "another supervisor is running the job but is not ready",
                  fs.Lstat(runtime.Diagnostics())
                      ? "see its messages in " + runtime.Diagnostics().native()
                      : "cancel the job and submit it again");
    }
    KINETIC_RETURN_IF_ERROR(clock.Sleep(kLockDelay, {}));
  }
}

/// Stores the record of a job that was prepared just now: later, the content that it names may have
/// been collected.
Status StoreRecord(store::Store& store, Clock& clock, const record::Record& record,
                   std::string_view json) {
  constexpr std::chrono::hours kMaxAge{1};
  if (std::chrono::abs(clock.Now() - record.created) > kMaxAge) {
    return Fail(ErrorCode::kAborted, "the submission was suspended", "submit the job again");
  }
  return JobStore::StoreRecord(store, record.id, json, {});
}

/// Reports an error on standard error, and to a client that still waits: the disk of the
/// diagnostics may be full.
void ReportFailure(const Error& error) {
  LogFailure("supervising", Failure(error));
  (void)!::write(STDOUT_FILENO, error.message.data(), error.message.size());
}

/// Ends the process as if it was killed: the job does not exist, and its client removes the traces.
[[noreturn]] void Abandon(Error error, const std::string& id) {
  ReportFailure(std::move(error).Context("job " + id));
  ::_exit(1);
}

Status SuperviseJob(const local::LaunchRequest& request, Daemon& daemon) {
  FileSystem& fs = PosixFileSystem();
  Clock& clock = SystemClock();
  connect::LazyConnection cloud(
      request.cloud,
      connect::Dependencies{
          .fs = fs, .clock = clock, .uploads = local::UploadsFolder(request.state_dir)});
  const store::Access access{fs, clock, cloud.Opener(), cloud.GcsOptions()};
  const bool is_new = !request.record.empty();
  KINETIC_ASSIGN_OR_RETURN(const auto store, is_new ? store::OpenChecked(request.store, access, {})
                                                    : store::Open(request.store, access, {}));
  const Digest digest = *Digest::FromHex(request.record_sha256);
  KINETIC_ASSIGN_OR_RETURN(const record::Record record,
                           is_new ? JobStore::ParseRecord(request.record, request.job_id, digest)
                                  : JobStore::FetchRecord(*store, request.job_id, digest, {}));

  const local::Runtime runtime = local::RuntimeOf(request.state_dir, record.id);
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, runtime.folder, 0700));
  KINETIC_ASSIGN_OR_RETURN(const auto lock, TakeLock(fs, clock, runtime));
  if (!lock) return daemon.Ready(local::kSupervisorReady, runtime.Diagnostics());
  KINETIC_ASSIGN_OR_RETURN(const auto identity, local::IdentifyThisProcess(record.nonce));
  const JobStore::Dependencies deps{*store, fs, clock, &cloud};
  bool ended = false;
  if (!is_new) {
    KINETIC_ASSIGN_OR_RETURN(ended, JobStore(deps, record, runtime, {}).HasResult({}));
  }
  if (ended) return daemon.Ready(local::kSupervisorReady, runtime.Diagnostics());

  Supervisor supervisor(deps, request, record, identity);
  KINETIC_RETURN_IF_ERROR(supervisor.Announce());
  KINETIC_RETURN_IF_ERROR(local::ReplaceFile(fs, runtime.StoreFile(), request.store, 0600));
  KINETIC_RETURN_IF_ERROR(WriteFileAtomically(fs, runtime.Supervisor(), ToJson(identity), 0600));
  const auto report_ready = [&]() -> Status {
    KINETIC_RETURN_IF_ERROR(daemon.Ready(local::kSupervisorReady, runtime.Diagnostics()));
    cloud.LimitRetries(kRequestRetryTime);
    return {};
  };
  if (!request.store_record) {
    KINETIC_RETURN_IF_ERROR(report_ready());
    return supervisor.Run([] {});
  }
  const auto storing = std::async(std::launch::async, [&] {
    Status stored = StoreRecord(*store, clock, record, request.record);
    if (stored) stored = report_ready();
    if (!stored) Abandon(std::move(stored).error(), record.id);
  });
  return supervisor.Run([&] { storing.wait(); });
}

/// @param daemon  outlives the call, because the original process exits when it ends. Errors must
///                be written before that.
Status ReadAndSupervise(std::optional<Daemon>& daemon) {
  KINETIC_RETURN_IF_ERROR(CheckOpenFileLimit());
  KINETIC_ASSIGN_OR_RETURN(const std::string json, ReadRequest());
  KINETIC_ASSIGN_OR_RETURN(const local::LaunchRequest request, local::LaunchRequestFromJson(json));
  PrepareSignals();
  KINETIC_ASSIGN_OR_RETURN(daemon, Daemon::Detach());
  // Daemonized processes of the job become children of this process.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto supervised = SuperviseJob(request, *daemon);
  if (!supervised) return Failure(std::move(supervised).error().Context("job " + request.job_id));
  return supervised;
}

}  // namespace

int Supervise() {
  std::optional<Daemon> daemon;
  const Status supervised = ReadAndSupervise(daemon);
  if (supervised) return 0;
  ReportFailure(supervised.error());
  return 1;
}

}  // namespace kinetic::runner
