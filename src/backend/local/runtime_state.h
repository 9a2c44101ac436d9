#pragma once

#include "backend/target.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "local/event_waiter.h"
#include "local/runtime.h"
#include "record/status.h"
#include "store/object_store.h"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::backend {

/// What a runtime folder tells about its job.
struct RuntimeState {
  std::optional<local::SupervisorIdentity> supervisor;  ///< absent: none was ready yet
  std::optional<record::AttemptStatus> status;
  /// The supervisor's process is there, and is the same one; or a client starts it now.
  bool alive = false;
};

/// Nothing: there is no such runtime folder. A damaged file counts as one that says nothing.
Result<std::optional<RuntimeState>> ReadRuntime(FileSystem& fs, const local::Runtime& runtime);

/// The ids of the jobs that have a runtime folder.
Result<std::vector<std::string>> ListRuntimes(FileSystem& fs, const Path& state_dir);

/// Waits for changes in one runtime folder and for the end of its supervisor.
///
/// @threads  one thread at a time.
class RuntimeEvents {
 public:
  static Result<RuntimeEvents> Make(FileSystem& fs, local::Runtime runtime, std::stop_token stop);

  /// How it stands; nothing when the folder is not there.
  Result<std::optional<RuntimeState>> Look();
  /// Wakes up for new log records too, once there is a spool.
  Status WatchSpool();
  /// Waits for the next event. @errors kCancelled.
  Status Wait();

 private:
  RuntimeEvents(FileSystem& fs, local::Runtime runtime, local::EventWaiter events)
      : fs_(&fs), runtime_(std::move(runtime)), events_(std::move(events)) {}

  FileSystem* fs_;
  local::Runtime runtime_;
  local::EventWaiter events_;
  bool watches_folder_ = false;
  bool watches_process_ = false;
  bool watches_spool_ = false;
};

/// How long a client may take between making a runtime folder and locking it.
inline constexpr std::chrono::seconds kStartTakes{10};

/// How long processes that a dead supervisor left behind have between SIGTERM and SIGKILL.
inline constexpr std::chrono::seconds kOrphanGrace{2};

/// Where to sweep.
struct Machine {
  FileSystem& fs;
  Clock& clock;
  Path state_dir;
  std::string store;  ///< jobs that belong to another one are left to those who use that
};

/// Finds the runtime folders that no supervisor holds and ends the processes that dead supervisors
/// left behind, also when a process of another program has their number by now.
Result<std::vector<Target::LostJob>> SweepRuntimes(const Machine& machine, std::stop_token stop);

/// Stores value and outputs from the runtime folder of a job that nobody works on. What can never
/// be stored makes an outcome that was a success a failure, as it would have been for the runner.
///
/// @errors  the store is away (nothing is lost: do it again) · kCancelled.
Result<Target::Remains> CollectRuntime(FileSystem& fs, store::Store& store,
                                       const local::Runtime& runtime, std::string_view id,
                                       std::stop_token stop);

}  // namespace kinetic::backend
