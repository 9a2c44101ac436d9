#pragma once

#include "base/files/file_lock.h"
#include "base/time/clock.h"
#include "connect/lazy_connection.h"
#include "local/runtime.h"
#include "record/job_record.h"
#include "store/open.h"

#include <memory>
#include <optional>

namespace kinetic::runner {

/// Access to a job's store with the client's options. Outlives stores opened with it.
struct StoreAccess {
  explicit StoreAccess(const local::LaunchRequest& request);

  connect::LazyConnection cloud;
  store::Access access;
};

/// Opens the store. Checks it unless the client has already checked it.
Result<std::unique_ptr<store::Store>> OpenStore(const local::LaunchRequest& request,
                                                const StoreAccess& access);

/// A job that this process has taken over.
struct TakenJob {
  record::Record record;
  local::SupervisorIdentity identity;  ///< of the process that took it over
  FileLock lock;
  std::optional<SteadyTime> start_deadline;
};

/// Takes a job over. Returns nullopt if another supervisor has the job, or it has ended.
Result<std::optional<TakenJob>> TakeJob(const local::LaunchRequest& request, store::Store& store,
                                        connect::LazyConnection& cloud);

/// Stores the record of a recently prepared job. Fails if garbage collection may have removed its
/// content since then.
Status StoreRecord(store::Store& store, const local::LaunchRequest& request);

/// Makes the record and the index entry durable that the client has just put. Until then, a crash of
/// the machine, which ends the job, can also remove its traces.
void FlushRecord(store::Store& store, const local::LaunchRequest& request,
                 const record::Record& record);

Status WriteIdentity(const local::Runtime& runtime, const local::SupervisorIdentity& identity);

}  // namespace kinetic::runner
