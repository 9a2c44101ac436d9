#include "kinetic/try.h"

#include "base/files/file_lock.h"
#include "base/strings.h"
#include "connect/lazy_connection.h"
#include "local/replace_file.h"
#include "pod/collect_request.h"
#include "pod/container.h"
#include "pod/log_line.h"
#include "record/task_id.h"
#include "record/task_range.h"
#include "record/task_record.h"
#include "runner/attempt/interruption.h"
#include "runner/diagnostics.h"
#include "runner/entry_points.h"
#include "runner/pod/collector.h"
#include "runner/pod/shared_folder.h"
#include "runner/pod/task_sequence.h"
#include "store/object_store.h"
#include "store/open.h"

#include <fmt/format.h>

#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

/// The record is written while the pod starts.
constexpr std::chrono::seconds kRecordTimeout{180};
/// According to Google, a new grant takes effect within two minutes. Waiting longer for a missing
/// grant would only occupy the TPU.
constexpr std::chrono::seconds kDeniedTimeout{120};
constexpr milliseconds kFirstRecordDelay{100};
constexpr milliseconds kLongestRecordDelay{5000};
constexpr milliseconds kCollectorEchoTimeout{10'000};
/// Grace period for SIGTERM: the kubelet restarts a container that exits earlier.
constexpr int kTerminationSeconds = 30;

std::string Variable(std::string_view name) {
  const char* value = ::getenv(std::string(name).c_str());
  return value == nullptr ? "" : value;
}

/// Returns large freed blocks to the system instead of keeping them in the allocator. A pod that
/// uses more memory than it requested is evicted first.
void LimitFreeMemory() {
  constexpr int kLargeBytes = 256 << 10;
  (void)::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
}

/// The store and the record of the job, or of the task that this pod runs.
struct OpenedJob {
  std::unique_ptr<store::Store> store;
  record::Record record;
  std::optional<std::uint32_t> pod = {};  ///< the number of this pod, if it runs several tasks
};

Result<OpenedJob> OpenJob(const pod::CollectRequest& request, const store::Access& access,
                          const std::stop_token& stop) {
  OpenedJob opened;
  KINETIC_ASSIGN_OR_RETURN(opened.store, store::Open(request.store, access, stop));
  KINETIC_ASSIGN_OR_RETURN(opened.record,
                           JobStore::FetchRecord(*opened.store, request.job_id,
                                                 *Digest::FromHex(request.record_sha256), stop));
  const auto& array = opened.record.spec.array;
  if (!array) return opened;
  const auto task = ParseInt(Variable(pod::kTaskVariable));
  if (!task || *task < 0 || *task >= record::kMaxTasks) {
    return Fail(ErrorCode::kInternal,
                fmt::format("{} does not name a task of the array", pod::kTaskVariable));
  }
  const auto index = static_cast<std::uint32_t>(*task);
  if (record::SharePods(*array)) {
    opened.pod = index;
    return opened;
  }
  KINETIC_ASSIGN_OR_RETURN(opened.record, record::TaskRecord(opened.record, index));
  return opened;
}

Result<OpenedJob> OpenWithRetries(const pod::CollectRequest& request, const store::Access& access,
                                  const std::stop_token& stop) {
  const SteadyTime start = access.clock.Steady();
  milliseconds delay = kFirstRecordDelay;
  for (;; delay = std::min(2 * delay, kLongestRecordDelay)) {
    auto opened = OpenJob(request, access, stop);
    if (opened || !store::IsStoreUnavailable(opened.error())) return opened;
    const bool is_denied = opened.error().code == ErrorCode::kPermissionDenied;
    if (access.clock.Steady() - start >= (is_denied ? kDeniedTimeout : kRecordTimeout))
      return opened;
    LogFailure("waiting for the record", Failure(opened.error()));
    KINETIC_RETURN_IF_ERROR(access.clock.Sleep(delay, stop));
  }
}

Result<LauncherExit> RunAttempt(const pod::CollectRequest& request, const PodFolder& folder,
                                LogEcho& echo, bool& terminated) {
  FileSystem& fs = PosixFileSystem();
  Clock& clock = SystemClock();
  connect::LazyConnection cloud(
      request.cloud, connect::Dependencies{
                         .fs = fs, .clock = clock, .uploads = folder.runtime.folder / "uploads"});
  const store::Access access{fs, clock, cloud.Opener(), cloud.GcsOptions()};
  Result<OpenedJob> opened = Fail(ErrorCode::kInternal, "not opened");
  if (Exists(fs, folder.ClaimedRequest())) {
    // A running program is followed to its end even while the job is being stopped.
    opened = OpenWithRetries(request, access, {});
  } else {
    KINETIC_ASSIGN_OR_RETURN(const auto interruption,
                             Interruption::Start(folder.runtime, clock, std::nullopt));
    opened = OpenWithRetries(request, access, interruption->stop());
    terminated = interruption->reason() == StopReason::kTerminated;
  }
  if (!opened) return Failure(std::move(opened).error());
  cloud.LimitRetries(kRequestRetryTime);
  const PodIdentity identity{Variable(pod::kPodUidVariable), Variable(pod::kPodNameVariable),
                             Variable(pod::kNodeVariable)};
  const auto& own_image = opened->record.spec.image;
  const std::string image = own_image && !own_image->uri.empty() ? own_image->uri : request.image;
  const JobStore::Dependencies deps{*opened->store, fs, clock, &cloud};
  if (opened->pod) {
    TaskSequence tasks(deps, {opened->record, *opened->pod, image}, folder, identity);
    LauncherExit exit = tasks.Run();
    terminated = terminated || tasks.terminated();
    return exit;
  }
  PodCollector collector(deps, {.record = opened->record, .image = image}, folder, identity, &echo);
  LauncherExit exit = collector.Run();
  terminated = terminated || collector.terminated();
  return exit;
}

/// Returns how the launcher must end, also if the collector could not start.
LauncherExit RunToExit(const PodFolder& folder, LogEcho& echo, bool& terminated) {
  const auto json = ReadFile(PosixFileSystem(), folder.Exit(), kMaxPodDocumentBytes);
  if (json) {
    if (auto exit = LauncherExitFromJson(*json)) return *std::move(exit);
  }
  auto request = pod::CollectRequestFromJson(Variable(pod::kCollectRequestVariable));
  Result<LauncherExit> exit = request ? RunAttempt(*request, folder, echo, terminated)
                                      : Result<LauncherExit>(Failure(request.error()));
  if (exit) return *std::move(exit);
  const Error& error = exit.error();
  LogDiagnostic("collecting: " + error.message);
  LauncherExit failed{
      error.code == ErrorCode::kCancelled ? pod::kRetryRequested : pod::kFailedBeforeUserCode,
      "collecting: " + error.message,
      {}};
  pod::AppendEndLine(failed.end_line, {request ? request->nonce : "-", "unknown", "-"});
  return failed;
}

/// Waits for SIGTERM, or until the launcher has been dead for a while.
void AwaitTermination(const PodFolder& folder) {
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  const timespec second{1, 0};
  for (int dead_seconds = 0; dead_seconds < kTerminationSeconds;) {
    if (::sigtimedwait(&terminate, nullptr, &second) == SIGTERM) return;
    const auto launcher = GetLauncherState(PosixFileSystem(), folder);
    if (launcher && *launcher == LauncherState::kDead) ++dead_seconds;
  }
}

Status CollectJob(const PodFolder& folder) {
  FileSystem& fs = PosixFileSystem();
  KINETIC_RETURN_IF_ERROR(MakePodFolder(fs, folder));
  // Created readable for any user, because the launcher may run as another one.
  KINETIC_RETURN_IF_ERROR(Touch(fs, folder.CollectorLock()));
  KINETIC_ASSIGN_OR_RETURN(const auto lock, FileLock::Acquire(fs, folder.CollectorLock()));
  const auto format = [lines = pod::LogLineWriter()](std::string& out,
                                                     const LogRecord& record) mutable {
    lines.Append(out, record);
  };
  LogEcho echo(fs, folder.runtime.Spool(), STDOUT_FILENO, format);
  bool terminated = false;
  const LauncherExit exit = RunToExit(folder, echo, terminated);
  if (!exit.end_line.empty()) echo.WriteLast(exit.end_line);
  KINETIC_RETURN_IF_ERROR(local::ReplaceFile(fs, folder.Exit(), ToJson(exit), 0644));
  if (!echo.Finish(kCollectorEchoTimeout)) LogDiagnostic("the log was not read in time");
  if (!terminated) AwaitTermination(folder);
  return {};
}

}  // namespace

int Collect(const Path& folder) {
  PrepareSignals();
  LimitFreeMemory();
  SetDiagnosticPrefix("# ");
  const Status collected = CollectJob({local::Runtime{folder}});
  LogFailure("collecting", collected);
  return collected ? 0 : 1;
}

}  // namespace kinetic::runner
