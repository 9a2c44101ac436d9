#pragma once

#include "base/files/file_system.h"

/// The commands of kinetic-runner. Each returns the exit code of the process.
namespace kinetic::runner {

/// `supervise`: reads a local::LaunchRequest from standard input, detaches from the terminal,
/// answers local::kSupervisorReady, and runs the job. Returns 0 when the outcome is stored.
int Supervise();

/// `collect [FOLDER]`: the collector of a pod, configured by the variables in
/// pod/collect_request.h. Returns 0 when the launcher has its exit code.
///
/// @param folder  shared with the launcher.
int Collect(const Path& folder);

/// `probe-store`: checks that a pod can use the store of the pod::StoreProbeRequest in the
/// environment, and writes the outcome to pod::kTerminationFile.
int ProbeStore();

/// `install FOLDER`: copies the launcher beside this program to FOLDER/bin/kinetic-launcher, where
/// another container starts it.
///
/// @param program  argv[0].
int Install(const Path& program, const Path& folder);

/// `shut-down`: deletes the cluster in which it runs, if the provision::ShutdownPolicy in the
/// environment says so.
int ShutDown();

}  // namespace kinetic::runner
