#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "runner/attempt/interruption.h"
#include "runner/log/echo.h"
#include "runner/outcome/classify.h"
#include "runner/pod/shared_folder.h"
#include "runner/program/request.h"
#include "runner/program/session.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// The launcher of a pod: the first process of the job's container. It waits for the collector's
/// request, runs the program, reports how it ended, waits until the collector has stored
/// everything, and exits with the code that the collector sets. Instead of the code, the collector
/// may send another request, for the next task of the pod.
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
  Status StartInterruption();
  Status PrepareNext();
  Result<std::optional<ProgramRequest>> AwaitRequest();
  Result<std::optional<ProgramRequest>> ClaimRequest();
  Result<std::optional<LauncherExit>> AwaitExit();
  Result<bool> AwaitFile(const Path& file, const Path& other);
  Result<bool> IsCollectorDead();
  ExitReport Execute(const ProgramRequest& request);
  Result<ProgramExit> RunProgram(const ProgramRequest& request, LogCapture& capture, bool& began);
  Result<ProgramExit> Call(const ProgramRequest& request, LogCapture& capture,
                           const ProgramCallbacks& callbacks);
  Result<Program> PrepareProgram(const ProgramRequest& request, LogCapture& capture);
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
  /// Reports SIGTERM to the collector through a file that it watches.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
  std::optional<SteadyTime> collector_dead_since_;
  const int out_;
  std::unique_ptr<LogEcho> echo_;            ///< of the last request
  bool has_checked_devices_ = false;         ///< the devices are those of the container
  std::unique_ptr<ProgramSession> session_;  ///< may call the function of the next task
};

}  // namespace kinetic::runner
