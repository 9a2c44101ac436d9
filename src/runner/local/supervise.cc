#include "kinetic/try.h"

#include "local/process_identity.h"
#include "local/queue.h"
#include "local/runtime.h"
#include "runner/attempt/interruption.h"
#include "runner/diagnostics.h"
#include "runner/entry_points.h"
#include "runner/local/array_supervisor.h"
#include "runner/local/daemon.h"
#include "runner/local/queued_job.h"
#include "runner/local/supervisor.h"
#include "runner/local/taken_job.h"
#include "runner/staging/retrying_store.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kMaxRequestBytes = 64U << 20;

/// Returns the file that the client has locked, or nothing if it has not.
UniqueFd InheritedLock() {
  if (::fcntl(local::kStartingFd, F_SETFD, FD_CLOEXEC) < 0) return {};
  return UniqueFd(local::kStartingFd);
}

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

/// Runs the job in a process that is the child of a guard. Returns an array, which is not run: its
/// process must have no connection to the store.
///
/// @param job  if it has waited in the queue.
Result<std::optional<TakenJob>> SuperviseJob(const local::LaunchRequest& request, Daemon& daemon,
                                             std::optional<local::QueueTicket>& ticket,
                                             std::optional<TakenJob> job) {
  FileSystem& fs = PosixFileSystem();
  Clock& clock = SystemClock();
  StoreAccess access(request);
  KINETIC_ASSIGN_OR_RETURN(const auto store, job ? store::Reopen(request.store, access.access, {})
                                                 : OpenStore(request, access));
  const local::Runtime runtime = local::RuntimeOf(request.state_dir, request.job_id);
  const bool has_waited = job.has_value();
  const bool stores_record = request.store_record && !has_waited;
  if (!job) {
    KINETIC_ASSIGN_OR_RETURN(job, TakeJob(request, *store, access.cloud));
  }
  if (!job) {
    KINETIC_RETURN_IF_ERROR(daemon.Ready(local::kSupervisorReady, runtime.Diagnostics()));
    return std::nullopt;
  }
  KINETIC_ASSIGN_OR_RETURN(const auto identity, local::IdentifyThisProcess(job->record.nonce));
  KINETIC_RETURN_IF_ERROR(WriteIdentity(runtime, identity));
  if (job->record.spec.array) {
    if (stores_record) KINETIC_RETURN_IF_ERROR(StoreRecord(*store, request));
    KINETIC_RETURN_IF_ERROR(daemon.Ready(local::kSupervisorReady, runtime.Diagnostics()));
    if (!has_waited) FlushRecord(*store, request, job->record);
    return std::optional(*std::move(job));
  }
  Supervisor supervisor({*store, fs, clock, &access.cloud}, request, job->record, identity,
                        *std::move(ticket));
  const auto report_ready = [&]() -> Status {
    KINETIC_RETURN_IF_ERROR(daemon.Ready(local::kSupervisorReady, runtime.Diagnostics()));
    access.cloud.LimitRetries(kRequestRetryTime);
    return {};
  };
  if (!stores_record) {
    KINETIC_RETURN_IF_ERROR(report_ready());
    std::future<void> flushing;
    if (!has_waited)
      flushing = std::async(std::launch::async, [&] { FlushRecord(*store, request, job->record); });
    KINETIC_RETURN_IF_ERROR(supervisor.Run(job->start_deadline, [] {}));
    return std::nullopt;
  }
  const auto storing = std::async(std::launch::async, [&] {
    Status stored = StoreRecord(*store, request);
    if (stored) stored = report_ready();
    if (stored) return;
    // A later claim would outlive the removal of the job.
    const auto no_claim = supervisor.BlockClaims();
    Abandon(std::move(stored).error(), job->record.id);
  });
  KINETIC_RETURN_IF_ERROR(supervisor.Run(job->start_deadline, [&] { storing.wait(); }));
  return std::nullopt;
}

Status TakePlaceAndSupervise(const local::LaunchRequest& request, Daemon& daemon) {
  std::optional<local::QueueTicket> ticket;
  {
    KINETIC_ASSIGN_OR_RETURN(
        auto taken, local::QueueTicket::Take(PosixFileSystem(), request.state_dir, request.job_id));
    ticket.emplace(std::move(taken));
  }
  KINETIC_ASSIGN_OR_RETURN(const std::size_t ahead, ticket->CountAhead(request.concurrency));
  std::optional<TakenJob> job;
  if (ahead >= request.concurrency) {
    KINETIC_ASSIGN_OR_RETURN(job, WaitInQueue(request, daemon, *ticket));
    if (!job) return {};
  } else {
    KINETIC_RETURN_IF_ERROR(daemon.Split());
  }
  // Daemonized processes of the job become children of this process.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  KINETIC_ASSIGN_OR_RETURN(const auto array, SuperviseJob(request, daemon, ticket, std::move(job)));
  if (!array) return {};
  return ArraySupervisor(request, *array, *std::move(ticket)).Run();
}

/// @param daemon  outlives the call, because the original process exits when it ends. Errors must
///                be written before that.
Status ReadAndSupervise(std::optional<Daemon>& daemon) {
  UniqueFd starting = InheritedLock();
  KINETIC_RETURN_IF_ERROR(CheckOpenFileLimit());
  KINETIC_ASSIGN_OR_RETURN(const std::string json, ReadRequest());
  KINETIC_ASSIGN_OR_RETURN(const local::LaunchRequest request, local::LaunchRequestFromJson(json));
  PrepareSignals();
  KINETIC_ASSIGN_OR_RETURN(daemon, Daemon::Detach(std::move(starting)));
  auto supervised = TakePlaceAndSupervise(request, *daemon);
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
