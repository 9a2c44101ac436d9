#pragma once

#include <string_view>

/// What a job's pod looks like from within: docs/reference/kubernetes.md, "Pod".
namespace kinetic::pod {

inline constexpr std::string_view kMainContainer = "main";
inline constexpr std::string_view kCollectorContainer = "collector";

/// Of the job's container: the accelerator that it was made for, which a program with a list of
/// them asks.
inline constexpr std::string_view kAcceleratorVariable = "KINETIC_ACCELERATOR";
/// Of the job's container: what it has of an accelerator's resource, "google.com/tpu=4".
inline constexpr std::string_view kChipsVariable = "KINETIC_CHIPS";

/// Where both containers mount the folder that they share.
inline constexpr std::string_view kSharedFolder = "/kinetic";
/// The runtime folder (local::Runtime) in it.
inline constexpr std::string_view kRuntimeFolder = "/kinetic/run";
/// Where `install` puts the launcher before the job's container starts.
inline constexpr std::string_view kLauncherPath = "/kinetic/bin/kinetic-launcher";

/// Where both containers mount the folder that a job's packages are unpacked in. Apart from the
/// shared folder, which would hide what an image has there.
inline constexpr std::string_view kPackagesFolder = "/opt/kinetic";
/// A job's environment: where the collector unpacks it, and the launcher makes it a virtual
/// environment of the image's Python. Scripts in its tree begin with
/// "#!/opt/kinetic/environment/bin/python": they are made for this place.
inline constexpr std::string_view kEnvironmentFolder = "/opt/kinetic/environment";

/// The program in the collector's image.
inline constexpr std::string_view kRunnerPath = "/kinetic-runner/bin/kinetic-runner";
/// A Google credential for the collector, where the profile names a Secret that holds one.
inline constexpr std::string_view kCredentialFile = "/kinetic-credentials/credentials.json";

/// Exit codes of the job's container that are kinetic's; all others are the program's own. The
/// Job's pod failure policy tells them apart.
inline constexpr int kFirstReservedCode = 200;
inline constexpr int kLastReservedCode = 209;
enum ExitCode : int {
  kRetryRequested = 200,        ///< this attempt failed, and the job file wants another
  kFailedBeforeUserCode = 201,  ///< nothing of the job's own has run
  kExitCodeInResult = 202,      ///< the outcome is stored; its code cannot be one of a process
  kCollectorLost = 203,         ///< nobody is left to store an outcome
};

}  // namespace kinetic::pod
