#pragma once

namespace kinetic::inline v0::native {

/// Writes to standard error from which functions the program was called when a signal ends it:
/// SIGSEGV, SIGBUS, SIGILL, SIGFPE or SIGABRT. The signal then ends the program as before. Signals
/// for which the program has its own handler are left to it. Forked processes report nothing, and a
/// stack overflow is reported only for the thread that called this function.
void StartCrashReports();

}  // namespace kinetic::inline v0::native
