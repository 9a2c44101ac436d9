#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "runner/attempt/interruption.h"
#include "runner/log/echo.h"
#include "runner/outcome/classify.h"
#include "runner/pod/shared_folder.h"
#include "runner/program/request.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace kinetic::runner {

/// The launcher of a pod: the first process of the job's container. It waits for the collector's
/// request, runs the program, reports how it ended, waits until the collector has stored
/// everything, and exits with the code that the collector sets.
///
/// SIGTERM must be blocked in all threads; it requests a stop.
///
/// @threads  one thread, which lives as long as the program.
class PodLauncher {
 public:
  /// @param container  the container's environment.
  /// @param out        descriptor for the program's output.
  PodLauncher(FileSystem& fs, Clock& clock, PodFolder folder,
              std::map<std::string, std::string> container, int out);

  /// Returns the collector's LauncherExit, or pod::kCollectorLost if the collector is dead.
  /// @errors  those of FileSystem: the folder cannot be used.
  Result<LauncherExit> Run();

 private:
  Result<std::optional<ProgramRequest>> AwaitRequest();
  Result<std::optional<ProgramRequest>> ClaimRequest();
  Result<std::optional<LauncherExit>> AwaitExit();
  Result<bool> AwaitFile(const Path& file, const Path& other);
  Result<bool> IsCollectorDead();
  ExitReport Execute(const ProgramRequest& request);
  Result<ProgramExit> RunProgram(const ProgramRequest& request, LogCapture& capture, bool& began);
  Status AddProject(const Program& program, LogCapture& capture);
  Status CheckForDevices(const ProgramRequest& request, const Program& program,
                         LogCapture& capture);
  Result<Program> MakeProgram(const ProgramRequest& request);
  Status UseEnvironment(const ProgramRequest& request, Program& program);
  std::vector<std::string> SecretValues(const ProgramRequest& request) const;

  FileSystem& fs_;
  Clock& clock_;
  const PodFolder folder_;
  const std::map<std::string, std::string> container_;
  UniqueFd lock_;
  std::unique_ptr<Interruption> interruption_;
  std::optional<SteadyTime> collector_dead_since_;
  LogEcho echo_;
};

}  // namespace kinetic::runner
