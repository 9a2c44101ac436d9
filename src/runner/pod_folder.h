#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "local/lock.h"
#include "local/runtime.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// Where the two containers of a pod meet: docs/reference/runner.md, "In a pod". Its layout is that
/// of a runtime folder, and besides:
///
///   collector.lock   locked (flock) by the collector while it lives
///   launcher.lock    the same for the launcher; appears locked. Its owner is the launcher's user
///   program.json     collector → launcher: a ProgramOrder, when everything is in place
///   taken.json       what the launcher has made of program.json: the program is its own now
///   cancel           made by the launcher when it gets SIGTERM
///   started          made by the launcher: the program runs
///   returned         made by the launcher: exchange/value.json is complete
///   end.json         launcher → collector: an EndReport; the launcher writes no more
///   settled.json     collector → launcher: a Settlement; also when there is nothing to run
struct PodFolder {
  local::Runtime runtime;

  Path CollectorLock() const { return runtime.folder / "collector.lock"; }
  Path LauncherLock() const { return runtime.folder / "launcher.lock"; }
  Path Order() const { return runtime.folder / "program.json"; }
  Path TakenOrder() const { return runtime.folder / "taken.json"; }
  Path Started() const { return runtime.folder / "started"; }
  Path Returned() const { return runtime.folder / "returned"; }
  Path End() const { return runtime.folder / "end.json"; }
  Path Settled() const { return runtime.folder / "settled.json"; }
  /// Not in it: pod::kEnvironmentFolder, or beside a runtime folder that is elsewhere than in a
  /// pod.
  Path Environment() const;
};

/// How things ended, for the launcher.
struct Settlement {
  int exit_code = 0;
  std::string message;   ///< for the container's termination message
  std::string end_line;  ///< what the collector prints last; may be empty
};

std::string ToJson(const Settlement& settlement);
Result<Settlement> SettlementFromJson(std::string_view json);

enum class LauncherState : std::uint8_t { kNotYet, kAlive, kGone };

/// What launcher.lock says.
Result<LauncherState> StateOfLauncher(FileSystem& fs, const PodFolder& folder);

/// The launcher's lock, which appears locked. @errors  kAlreadyExists: another one has it.
Result<UniqueFd> TakeLauncherLock(FileSystem& fs, const PodFolder& folder);

/// Makes the folder for both containers, whoever their users are.
Status MakePodFolder(FileSystem& fs, const PodFolder& folder);

/// Makes an empty file, to be seen.
Status Touch(FileSystem& fs, const Path& file);

bool IsThere(FileSystem& fs, const Path& file);

}  // namespace kinetic::runner
