#include "runner/supervise.h"

#include "base/try.h"
#include "cloud/connector.h"
#include "local/launch_request.h"
#include "local/lock.h"
#include "local/processes.h"
#include "local/replace_file.h"
#include "runner/collector.h"
#include "runner/daemon.h"
#include "runner/diagnostics.h"
#include "runner/supervisor.h"
#include "store/open.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace kinetic::runner {
namespace {

constexpr std::size_t kMaxRequestBytes = 64U << 20;
constexpr std::size_t kMaxIdentityBytes = 4096;
constexpr std::chrono::minutes kLockPatience{5};
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

/// SIGTERM is taken by the Interruption; what a terminal or a reader that is gone sends is nothing
/// to a daemon.
void PrepareSignals() {
  ::signal(SIGHUP, SIG_IGN);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &terminate, nullptr);
}

/// Whether the supervisor that has the lock has told so and lives.
bool IsAnnounced(FileSystem& fs, const local::Runtime& runtime) {
  const auto json = ReadFile(fs, runtime.Supervisor(), kMaxIdentityBytes);
  if (!json) return false;
  const auto identity = local::SupervisorIdentityFromJson(*json);
  return identity && local::IsAlive(*identity);
}

/// The lock; or nothing, when another supervisor has the job. A client that looks whether it is
/// free holds it for a moment, and one that is killed may leave a supervisor that has just begun.
Result<std::optional<local::FileLock>> TakeLock(FileSystem& fs, Clock& clock,
                                                const local::Runtime& runtime) {
  const SteadyTime until = clock.Steady() + kLockPatience;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(auto lock, local::FileLock::Try(fs, runtime.Lock()));
    if (lock || IsAnnounced(fs, runtime)) return lock;
    if (clock.Steady() >= until) {
      return Fail(ErrorCode::kUnavailable, "another supervisor has the job and is not ready",
                  "look for its messages in " + runtime.Diagnostics().native());
    }
    KINETIC_RETURN_IF_ERROR(clock.Sleep(kLockDelay, {}));
  }
}

Status SuperviseJob(const local::LaunchRequest& request, Daemon& daemon) {
  FileSystem& fs = PosixFileSystem();
  Clock& clock = SystemClock();
  cloud::Connector cloud(
      request.cloud,
      cloud::Seams{.fs = fs, .clock = clock, .uploads = local::UploadsFolder(request.state_dir)});
  const store::Access access{fs, clock, cloud.Connecting(), cloud.Storage()};
  KINETIC_ASSIGN_OR_RETURN(const auto store, store::Open(request.store, access, {}));
  KINETIC_ASSIGN_OR_RETURN(
      const record::Record record,
      Collector::FetchRecord(*store, request.job_id, *Digest::FromHex(request.record_sha256), {}));

  const local::Runtime runtime = local::RuntimeOf(request.state_dir, record.id);
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, runtime.folder, 0700));
  KINETIC_ASSIGN_OR_RETURN(const auto lock, TakeLock(fs, clock, runtime));
  if (!lock) return daemon.Ready(local::kSupervisorReady, runtime.Diagnostics());
  KINETIC_ASSIGN_OR_RETURN(const auto identity, local::IdentifyThisProcess(record.nonce));
  const Collector::Seams seams{*store, fs, clock, &cloud};
  KINETIC_ASSIGN_OR_RETURN(const bool ended, Collector(seams, record, runtime, {}).HasResult({}));
  if (ended) return daemon.Ready(local::kSupervisorReady, runtime.Diagnostics());

  Supervisor supervisor(seams, request, record, identity);
  KINETIC_RETURN_IF_ERROR(supervisor.Announce());
  KINETIC_RETURN_IF_ERROR(local::ReplaceFile(fs, runtime.StoreFile(), request.store, 0600));
  KINETIC_RETURN_IF_ERROR(WriteFileAtomically(fs, runtime.Supervisor(), ToJson(identity), 0600));
  KINETIC_RETURN_IF_ERROR(daemon.Ready(local::kSupervisorReady, runtime.Diagnostics()));
  return supervisor.Run();
}

/// @param daemon  outlives the call: its end tells the one who started it that it failed, and what
///                failed is to be said before that.
Status ReadAndSupervise(std::optional<Daemon>& daemon) {
  KINETIC_ASSIGN_OR_RETURN(const std::string json, ReadRequest());
  KINETIC_ASSIGN_OR_RETURN(const local::LaunchRequest request, local::LaunchRequestFromJson(json));
  KINETIC_ASSIGN_OR_RETURN(daemon, Daemon::Detach());
  PrepareSignals();
  // What daemonises out of the job becomes a child of this process and stays in sight.
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
  DiagnoseError("supervising", supervised);
  // To a client that still waits: the disk of the diagnostics may be full.
  const std::string& message = supervised.error().message;
  (void)!::write(STDOUT_FILENO, message.data(), message.size());
  return 1;
}

}  // namespace kinetic::runner
