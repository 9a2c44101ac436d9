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

/// The state of a job according to its runtime directory.
struct RuntimeState {
  std::optional<local::SupervisorIdentity> supervisor;  ///< absent: none has been ready
  std::optional<record::AttemptStatus> status;
  /// Whether the supervisor uses the folder, or a client is starting it.
  bool alive = false;
  /// Why the supervisor, which is alive, does not respond: "is stopped"; empty: it does.
  std::string unresponsive = {};
  bool is_silent = false;  ///< unresponsive for so long that waiting is useless
};

/// Returns nullopt if the runtime directory does not exist. Damaged files count as absent.
Result<std::optional<RuntimeState>> ReadRuntime(FileSystem& fs, const local::Runtime& runtime);

/// Returns the IDs of the jobs that have a runtime directory.
Result<std::vector<std::string>> ListRuntimes(FileSystem& fs, const Path& state_dir);

/// Waits for changes in one runtime directory and for the end of its supervisor.
///
/// @threads  one thread at a time.
class RuntimeEvents {
 public:
  static Result<RuntimeEvents> Make(FileSystem& fs, local::Runtime runtime, std::stop_token stop);

  /// Returns the state, or nullopt if the folder does not exist.
  Result<std::optional<RuntimeState>> Read();
  /// Also reports new log records, once the spool exists.
  Status WatchSpool();
  /// Waits for the next event, or a moment: a supervisor that stops responding causes no event.
  ///
  /// @errors  kCancelled.
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

/// Maximum time between creating a runtime directory and locking it.
inline constexpr std::chrono::seconds kStartupLimit{10};

/// Time between SIGTERM and SIGKILL for processes that a dead supervisor left behind.
inline constexpr std::chrono::seconds kOrphanGrace{2};

/// Stores value and outputs from the runtime directory of an abandoned job. A value or output that
/// can never be stored changes success to failure, as in the runner.
///
/// @errors  the store is unavailable (nothing is lost; try again) · kCancelled.
Result<CollectedState> CollectRuntime(FileSystem& fs, store::Store& store,
                                      const local::Runtime& runtime, std::string_view id,
                                      std::stop_token stop);

/// The state folder to sweep.
struct SweepOptions {
  FileSystem& fs;
  Clock& clock;
  Path state_dir;
  std::string store;  ///< jobs of other stores are ignored
};

/// Finds runtime directories without a supervisor, and ends the processes that dead supervisors
/// left behind, even if another program has reused a supervisor's PID.
Result<std::vector<AbandonedJob>> SweepRuntimes(const SweepOptions& options, std::stop_token stop);

}  // namespace kinetic::backend
