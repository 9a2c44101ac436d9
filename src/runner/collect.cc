#include "runner/collect.h"

#include "base/try.h"
#include "cloud/connector.h"
#include "local/away.h"
#include "local/replace_file.h"
#include "pod/collect_request.h"
#include "pod/container.h"
#include "pod/log_line.h"
#include "runner/diagnostics.h"
#include "runner/pod_collector.h"
#include "store/open.h"

#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMaxDocumentBytes = 64U << 20;
/// The record is written while the pod starts, and rights that were just given take their time.
constexpr std::chrono::minutes kRecordPatience{3};
constexpr milliseconds kFirstDelay{100};
constexpr milliseconds kLongestDelay{5000};
constexpr milliseconds kEchoPatience{10'000};
/// A container that ends before it is told to is started anew.
constexpr int kFarewellSeconds = 30;

std::string Variable(std::string_view name) {
  const char* value = ::getenv(std::string(name).c_str());
  return value == nullptr ? "" : value;
}

void PrepareSignals() {
  for (const int ignored : {SIGHUP, SIGINT, SIGPIPE}) ::signal(ignored, SIG_IGN);
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &terminate, nullptr);
}

/// Large pieces of memory go back to the machine when they are done with, rather than stay with
/// whichever thread had them: a pod that has more than it asked for is the first to go when its
/// node is short.
void KeepLittleMemory() {
  constexpr int kLargeBytes = 256 << 10;
  (void)::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
}

/// What is needed of the store to begin.
struct Opened {
  std::unique_ptr<store::Store> store;
  record::Record record;
};

Result<Opened> Open(const pod::CollectRequest& request, const store::Access& access,
                    const std::stop_token& stop) {
  Opened opened;
  KINETIC_ASSIGN_OR_RETURN(opened.store, store::Open(request.store, access, stop));
  KINETIC_ASSIGN_OR_RETURN(opened.record,
                           Collector::FetchRecord(*opened.store, request.job_id,
                                                  *Digest::FromHex(request.record_sha256), stop));
  return opened;
}

Result<Opened> OpenPatiently(const pod::CollectRequest& request, const store::Access& access,
                             const std::stop_token& stop) {
  const SteadyTime end = access.clock.Steady() + kRecordPatience;
  milliseconds delay = kFirstDelay;
  for (;; delay = std::min(2 * delay, kLongestDelay)) {
    auto opened = Open(request, access, stop);
    if (opened || !local::IsAway(opened.error()) || access.clock.Steady() >= end) return opened;
    DiagnoseError("waiting for the record", Failure(opened.error()));
    KINETIC_RETURN_IF_ERROR(access.clock.Sleep(delay, stop));
  }
}

Result<Settlement> SeeThrough(const pod::CollectRequest& request, const PodFolder& folder,
                              LogEcho& echo, bool& told_to_end) {
  FileSystem& fs = PosixFileSystem();
  Clock& clock = SystemClock();
  cloud::Connector cloud(
      request.cloud,
      cloud::Seams{.fs = fs, .clock = clock, .uploads = folder.runtime.folder / "uploads"});
  const store::Access access{fs, clock, cloud.Connecting(), cloud.Storage()};
  Result<Opened> opened = Fail(ErrorCode::kInternal, "not opened");
  if (IsThere(fs, folder.TakenOrder())) {
    // What runs is followed to its end, also when it is being stopped.
    opened = OpenPatiently(request, access, {});
  } else {
    KINETIC_ASSIGN_OR_RETURN(const auto interruption,
                             Interruption::Begin(folder.runtime, clock, std::nullopt));
    opened = OpenPatiently(request, access, interruption->stop());
    told_to_end = interruption->cause() == Cause::kTerminated;
  }
  if (!opened) return Failure(std::move(opened).error());
  const PodIdentity identity{Variable(pod::kPodUidVariable), Variable(pod::kPodNameVariable),
                             Variable(pod::kNodeVariable)};
  const auto& image = opened->record.spec.image;
  PodCollector collector(
      {*opened->store, fs, clock, &cloud},
      {opened->record, image && !image->uri.empty() ? image->uri : request.image}, folder, identity,
      echo);
  Settlement settlement = collector.Run();
  told_to_end = told_to_end || collector.told_to_end();
  return settlement;
}

/// How it ended, also where nothing could begin.
Settlement Settle(const PodFolder& folder, LogEcho& echo, bool& told_to_end) {
  const auto there = ReadFile(PosixFileSystem(), folder.Settled(), kMaxDocumentBytes);
  if (there) {
    if (auto settlement = SettlementFromJson(*there)) return *std::move(settlement);
  }
  auto request = pod::CollectRequestFromJson(Variable(pod::kRequestVariable));
  Result<Settlement> settled = request ? SeeThrough(*request, folder, echo, told_to_end)
                                       : Result<Settlement>(Failure(request.error()));
  if (settled) return *std::move(settled);
  const Error& error = settled.error();
  Diagnose("collecting: " + error.message);
  Settlement failed{
      error.code == ErrorCode::kCancelled ? pod::kAnotherAttempt : pod::kFailedBeforeUserCode,
      "collecting: " + error.message,
      {}};
  pod::AppendEndLine(failed.end_line, {request ? request->nonce : "-", "unknown", "-"});
  return failed;
}

/// Until it is told to end, or has been of no use for a while.
void AwaitFarewell(const PodFolder& folder) {
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  const timespec second{1, 0};
  for (int useless = 0; useless < kFarewellSeconds;) {
    if (::sigtimedwait(&terminate, nullptr, &second) == SIGTERM) return;
    const auto launcher = StateOfLauncher(PosixFileSystem(), folder);
    if (launcher && *launcher == LauncherState::kGone) ++useless;
  }
}

Status CollectJob(const PodFolder& folder) {
  FileSystem& fs = PosixFileSystem();
  KINETIC_RETURN_IF_ERROR(MakePodFolder(fs, folder));
  // The launcher looks at it, whoever its user is.
  KINETIC_RETURN_IF_ERROR(Touch(fs, folder.CollectorLock()));
  KINETIC_ASSIGN_OR_RETURN(const auto lock, local::FileLock::Take(fs, folder.CollectorLock()));
  const auto format = [lines = pod::LogLineWriter()](std::string& out,
                                                     const LogRecord& record) mutable {
    lines.Append(out, record);
  };
  LogEcho echo(fs, folder.runtime.Spool(), STDOUT_FILENO, format);
  bool told_to_end = false;
  const Settlement settlement = Settle(folder, echo, told_to_end);
  if (!settlement.end_line.empty()) echo.Say(settlement.end_line);
  KINETIC_RETURN_IF_ERROR(local::ReplaceFile(fs, folder.Settled(), ToJson(settlement), 0644));
  if (!echo.Finish(kEchoPatience)) Diagnose("nobody reads the log");
  if (!told_to_end) AwaitFarewell(folder);
  return {};
}

}  // namespace

int Collect(const Path& folder) {
  PrepareSignals();
  KeepLittleMemory();
  MarkDiagnostics("# ");
  const Status collected = CollectJob({local::Runtime{folder}});
  DiagnoseError("collecting", collected);
  return collected ? 0 : 1;
}

}  // namespace kinetic::runner
