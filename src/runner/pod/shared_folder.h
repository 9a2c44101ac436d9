#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "local/runtime.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// The maximum length of a document in the shared folder.
inline constexpr std::uint64_t kMaxPodDocumentBytes = 64U << 20;

/// The folder that the two containers of a pod share: docs/reference/runner.md, "Shared folder". It
/// has the layout of a runtime directory and these files:
///
///   collector.lock       locked (flock) by the collector while it is alive
///   launcher.lock        the same for the launcher, whose user owns it; created locked
///   program.json         collector → launcher: a ProgramRequest, when all inputs are in place
///   claimed.json         program.json, renamed by the launcher: the program will be run
///   cancel               created by the launcher when it receives SIGTERM, or by the collector to end
///                        the program of one task
///   started              created by the launcher: the program runs
///   returned             created by the launcher: exchange/value.json is complete
///   report.json          launcher → collector: an ExitReport, after the last log record
///   launcher-exit.json   collector → launcher: a LauncherExit; also if there is nothing to run
///   next.json            collector: the NextTask of a pod that runs several tasks
struct PodFolder {
  local::Runtime runtime;

  Path CollectorLock() const { return runtime.folder / "collector.lock"; }
  Path LauncherLock() const { return runtime.folder / "launcher.lock"; }
  Path Request() const { return runtime.folder / "program.json"; }
  Path ClaimedRequest() const { return runtime.folder / "claimed.json"; }
  Path Started() const { return runtime.folder / "started"; }
  Path Returned() const { return runtime.folder / "returned"; }
  Path Report() const { return runtime.folder / "report.json"; }
  Path Exit() const { return runtime.folder / "launcher-exit.json"; }
  Path Next() const { return runtime.folder / "next.json"; }
  /// Returns pod::kEnvironmentFolder, or a folder beside a runtime directory outside of a pod.
  Path Environment() const;
};

/// How the launcher ends.
struct LauncherExit {
  int exit_code = 0;
  std::string message;   ///< the container's termination message
  std::string end_line;  ///< the collector's last line of output; may be empty
};

std::string ToJson(const LauncherExit& exit);
Result<LauncherExit> LauncherExitFromJson(std::string_view json);

/// The next step of a pod that runs several tasks. A restarted collector continues with it.
struct NextTask {
  std::uint32_t task = 0;
  std::uint32_t attempt = 1;  ///< the first one that may be claimed
  bool prepared = false;      ///< a task before it has unpacked code and data
};

std::string ToJson(const NextTask& next);
Result<NextTask> NextTaskFromJson(std::string_view json);

/// Removes the files of a task from the folder, for the next program. The launcher waits for its
/// request. Keeps the `cancel` file, and the folders of the job.
Status ClearTask(FileSystem& fs, const PodFolder& folder);

enum class LauncherState : std::uint8_t { kNotStarted, kAlive, kDead };

/// Returns the state of the launcher according to launcher.lock.
Result<LauncherState> GetLauncherState(FileSystem& fs, const PodFolder& folder);

/// Creates the launcher's lock. @errors  kAlreadyExists: another launcher has run.
Result<UniqueFd> TakeLauncherLock(FileSystem& fs, const PodFolder& folder);

/// Creates the folder, writable for any user of the two containers.
Status MakePodFolder(FileSystem& fs, const PodFolder& folder);

/// Gives the job's folders to the launcher's user. Does nothing unless this process is root and the
/// launcher is not.
///
/// @errors  those of chown.
Status ChownJobFolders(const PodFolder& folder);

/// Returns the launcher's user, or nullopt if it is root or the user of this process. If the
/// program has removed the launcher's lock, returns a user without files.
std::optional<std::uint32_t> OtherProgramUser(FileSystem& fs, const PodFolder& folder);

/// Creates an empty file.
Status Touch(FileSystem& fs, const Path& file);

bool Exists(FileSystem& fs, const Path& file);

}  // namespace kinetic::runner
