#include "runner/local/taken_job.h"

#include "kinetic/try.h"

#include "local/process_identity.h"
#include "local/replace_file.h"
#include "record/object_names.h"
#include "runner/attempt/interruption.h"
#include "runner/diagnostics.h"
#include "runner/local/supervisor.h"
#include "runner/staging/job_store.h"

#include <chrono>
#include <string>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kMaxIdentityBytes = 4096;
constexpr std::chrono::minutes kLockTimeout{5};
constexpr std::chrono::milliseconds kLockDelay{20};

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

}  // namespace

StoreAccess::StoreAccess(const local::LaunchRequest& request)
    : cloud(request.cloud,
            connect::Dependencies{.fs = PosixFileSystem(),
                                  .clock = SystemClock(),
                                  .uploads = local::UploadsFolder(request.state_dir)}),
      access{PosixFileSystem(), SystemClock(), cloud.Opener(), cloud.GcsOptions()} {}

Result<std::unique_ptr<store::Store>> OpenStore(const local::LaunchRequest& request,
                                                const StoreAccess& access) {
  return request.record.empty() ? store::Open(request.store, access.access, {})
                                : store::OpenChecked(request.store, access.access, {});
}

Result<std::optional<TakenJob>> TakeJob(const local::LaunchRequest& request, store::Store& store,
                                        connect::LazyConnection& cloud) {
  FileSystem& fs = PosixFileSystem();
  const bool is_new = !request.record.empty();
  const Digest digest = *Digest::FromHex(request.record_sha256);
  KINETIC_ASSIGN_OR_RETURN(record::Record record,
                           is_new ? JobStore::ParseRecord(request.record, request.job_id, digest)
                                  : JobStore::FetchRecord(store, request.job_id, digest, {}));
  const local::Runtime runtime = local::RuntimeOf(request.state_dir, record.id);
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, runtime.folder, 0700));
  KINETIC_ASSIGN_OR_RETURN(auto lock, TakeLock(fs, SystemClock(), runtime));
  if (!lock) return std::nullopt;
  KINETIC_ASSIGN_OR_RETURN(const auto identity, local::IdentifyThisProcess(record.nonce));
  if (!is_new) {
    const JobStore::Dependencies deps{store, fs, SystemClock(), &cloud};
    KINETIC_ASSIGN_OR_RETURN(const bool ended, JobStore(deps, record, runtime, {}).HasResult({}));
    if (ended) return std::nullopt;
  }
  KINETIC_RETURN_IF_ERROR(Announce(fs, SystemClock(), runtime, KeyOf(record)));
  KINETIC_RETURN_IF_ERROR(local::ReplaceFile(fs, runtime.StoreFile(), request.store, 0600));
  const auto start_deadline = StartDeadline(record, SystemClock());
  return TakenJob{std::move(record), identity, *std::move(lock), start_deadline};
}

Status StoreRecord(store::Store& store, const local::LaunchRequest& request) {
  constexpr std::chrono::hours kMaxAge{1};
  if (local::TimeSinceBoot() - request.made > kMaxAge) {
    return Fail(ErrorCode::kAborted, "the submission was suspended", "submit the job again");
  }
  return JobStore::StoreRecord(store, request.job_id, request.record, {});
}

void FlushRecord(store::Store& store, const local::LaunchRequest& request,
                 const record::Record& record) {
  if (request.record.empty() || request.store_record) return;
  LogFailure("flushing the record", store.Flush({record::IndexName(record.created, record.id),
                                                 record::RecordName(record.id)}));
}

/// Not flushed, because the process does not outlive a crash of the machine.
Status WriteIdentity(const local::Runtime& runtime, const local::SupervisorIdentity& identity) {
  return local::ReplaceFile(PosixFileSystem(), runtime.Supervisor(), ToJson(identity), 0600);
}

}  // namespace kinetic::runner
