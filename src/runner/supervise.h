#pragma once

namespace kinetic::runner {

/// `kinetic-runner supervise`: reads a local::LaunchRequest from standard input until its end,
/// leaves the terminal, answers local::kSupervisorReady, and sees the job through.
///
/// @returns  the exit code: 0 when the outcome is stored.
int Supervise();

}  // namespace kinetic::runner
