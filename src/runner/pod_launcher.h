#pragma once

#include "base/clock.h"
#include "base/file_system.h"
#include "runner/end_report.h"
#include "runner/interruption.h"
#include "runner/log_echo.h"
#include "runner/pod_folder.h"
#include "runner/program_order.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace kinetic::runner {

/// The launcher of a pod: the first process of the job's container. Waits for the collector's word,
/// runs the program, says how it ended, waits until that is stored, and ends as the program did.
///
/// SIGTERM must be blocked in all threads: it is the order to stop.
///
/// @threads  one thread, which lives as long as the program.
class PodLauncher {
 public:
  /// @param container  the container's environment.
  /// @param out        gets the program's output as it comes.
  PodLauncher(FileSystem& fs, Clock& clock, PodFolder folder,
              std::map<std::string, std::string> container, int out);

  /// @returns  how it was settled; pod::kCollectorWentAway when the collector has gone away.
  /// @errors   those of FileSystem: the folder cannot be used.
  Result<Settlement> Run();

 private:
  Result<std::optional<ProgramOrder>> AwaitOrder();
  Result<std::optional<ProgramOrder>> TakeOrder();
  Result<std::optional<Settlement>> AwaitSettlement();
  Result<bool> AwaitFile(const Path& file, const Path& other);
  Result<bool> IsCollectorGone();
  EndReport Perform(const ProgramOrder& order);
  Result<ProgramEnd> RunProgram(const ProgramOrder& order, LogCapture& capture, bool& began);
  Status LookForDevices(const ProgramOrder& order, const Program& program, LogCapture& capture);
  Result<Program> MakeProgram(const ProgramOrder& order);
  Status UseEnvironment(const ProgramOrder& order, Program& program);
  std::vector<std::string> SecretValues(const ProgramOrder& order) const;

  FileSystem& fs_;
  Clock& clock_;
  const PodFolder folder_;
  const std::map<std::string, std::string> container_;
  UniqueFd lock_;
  std::unique_ptr<Interruption> interruption_;
  std::optional<SteadyTime> collector_gone_;
  LogEcho echo_;
};

}  // namespace kinetic::runner
