#pragma once

#include "base/files/file_system.h"
#include "local/events.h"
#include "local/runtime.h"
#include "record/status.h"

#include <optional>
#include <stop_token>
#include <string>
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
  RuntimeEvents(FileSystem& fs, local::Runtime runtime, local::Events events)
      : fs_(&fs), runtime_(std::move(runtime)), events_(std::move(events)) {}

  FileSystem* fs_;
  local::Runtime runtime_;
  local::Events events_;
  bool watches_folder_ = false;
  bool watches_process_ = false;
  bool watches_spool_ = false;
};

}  // namespace kinetic::backend
