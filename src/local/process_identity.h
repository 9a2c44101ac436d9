#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"
#include "local/runtime.h"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

/// Finds the processes of a job in /proc, by the nonce in their environment and by ancestry.
namespace kinetic::local {

/// The environment variable that identifies the processes of a job.
inline constexpr std::string_view kNonceVariable = "KINETIC_JOB_NONCE";

/// A process. The start time distinguishes it from a later one with the same pid.
struct Process {
  pid_t pid = 0;
  std::uint64_t start_time = 0;  ///< field 22 of /proc/PID/stat
  bool operator==(const Process&) const = default;
};

/// Returns field 22 of /proc/PID/stat, or nullopt for zombies and absent processes.
std::optional<std::uint64_t> StartTime(pid_t pid);

/// Returns the identity of the calling process.
Result<SupervisorIdentity> IdentifyThisProcess(std::string_view nonce);

/// Returns what identifies this machine, its boot and this process's namespace of PIDs. A PID has a
/// meaning only where this is equal.
std::string MachineIdentity();

/// Returns whether the process still runs: same pid, start time and boot.
bool IsAlive(const SupervisorIdentity& identity);

/// Returns whether a process is stopped, by a signal or a debugger.
bool IsStopped(pid_t pid);

/// Returns the processes of the job with this nonce, which include its supervisor and the parent of
/// that, and all their descendants; with `ancestor`, also the descendants of that process. Excludes zombies, `ancestor` and the calling process.
///
/// @param nonce  at least 16 characters; a shorter one matches nothing.
std::vector<Process> ProcessesOf(std::string_view nonce, std::optional<pid_t> ancestor = {});

/// Sends a signal to each process that still exists.
void Signal(const std::vector<Process>& processes, int signal);

/// Ends all processes of a job: sends SIGTERM, and after `grace` SIGKILL until none is left. Reaps
/// children of the caller.
///
/// @errors  kUnavailable: processes remain after SIGKILL (stuck in the kernel, or of another user);
///          the message lists their pids · kCancelled.
Status EndProcesses(std::string_view nonce, std::chrono::milliseconds grace, Clock& clock,
                    std::stop_token stop, std::optional<pid_t> ancestor = {});

}  // namespace kinetic::local
