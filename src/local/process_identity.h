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

/// The processes of a job, found in /proc: by the nonce in their environment and by descent.
namespace kinetic::local {

/// The environment variable that every process of a job has, unless it took care to lose it.
inline constexpr std::string_view kNonceVariable = "KINETIC_JOB_NONCE";

/// A process, told apart from a later one with the same number.
struct Process {
  pid_t pid = 0;
  std::uint64_t start_time = 0;  ///< field 22 of /proc/PID/stat
  bool operator==(const Process&) const = default;
};

/// Field 22 of /proc/PID/stat; nothing when there is no such process. A zombie is none.
std::optional<std::uint64_t> StartTime(pid_t pid);

/// What tells this process apart from all others, on this machine, until it ends.
Result<SupervisorIdentity> IdentifyThisProcess(std::string_view nonce);

/// Whether the process that wrote the identity still runs: same number, same start, same boot.
bool IsAlive(const SupervisorIdentity& identity);

/// The processes of the job with this nonce and all their descendants, without zombies; with
/// `ancestor`, also all descendants of that process (not itself). The calling process is never
/// among them.
///
/// @param nonce  at least 16 characters; a shorter one matches nothing.
std::vector<Process> ProcessesOf(std::string_view nonce, std::optional<pid_t> ancestor = {});

/// Sends a signal to those of `processes` that are still the same ones.
void Signal(const std::vector<Process>& processes, int signal);

/// Ends all processes of a job: SIGTERM, then after `grace` SIGKILL until none is left. Children of
/// the caller are reaped.
///
/// @errors  kUnavailable: some are left after SIGKILL (stuck in the kernel, or of another user);
/// the
///          message has their numbers · kCancelled.
Status EndProcesses(std::string_view nonce, std::chrono::milliseconds grace, Clock& clock,
                    std::stop_token stop, std::optional<pid_t> ancestor = {});

}  // namespace kinetic::local
