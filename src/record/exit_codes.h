#pragma once

/// The exit codes that kinetic itself gives to a job: docs/reference/exit-codes.md.
namespace kinetic::record {

inline constexpr int kExitCouldNotSubmit = 120;
inline constexpr int kExitTooLate = 121;         ///< never started in time
inline constexpr int kExitPreempted = 122;       ///< and out of retries
inline constexpr int kExitBeforeUserCode = 123;  ///< failed before user code
inline constexpr int kExitOutOfTime = 124;
inline constexpr int kExitLost = 125;
inline constexpr int kExitCancelled = 126;

}  // namespace kinetic::record
