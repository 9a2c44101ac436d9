#pragma once

#include <string_view>

/// Paths, variables and exit codes in a job's pod: docs/reference/kubernetes.md, "Pod".
namespace kinetic::pod {

inline constexpr std::string_view kMainContainer = "main";
inline constexpr std::string_view kCollectorContainer = "collector";

/// Variable of the job's container: its accelerator, for jobs with several alternatives.
inline constexpr std::string_view kAcceleratorVariable = "KINETIC_ACCELERATOR";
/// Variable of the job's container: its accelerator resource, such as "google.com/tpu=4".
inline constexpr std::string_view kChipsVariable = "KINETIC_CHIPS";

/// The mount path of the folder that both containers share.
inline constexpr std::string_view kSharedFolder = "/kinetic";
/// The runtime directory (local::Runtime).
inline constexpr std::string_view kRuntimeFolder = "/kinetic/run";
/// `install` copies the launcher to this path before the job's container starts.
inline constexpr std::string_view kLauncherPath = "/kinetic/bin/kinetic-launcher";

/// The mount path of the folder with a job's packages in both containers.
inline constexpr std::string_view kPackagesFolder = "/opt/kinetic";
/// The collector unpacks a job's environment here, and the launcher makes it a virtual environment
/// of the image's Python. Scripts in its tree begin with "#!/opt/kinetic/environment/bin/python".
inline constexpr std::string_view kEnvironmentFolder = "/opt/kinetic/environment";

/// The runner in the collector's image.
inline constexpr std::string_view kRunnerPath = "/kinetic-runner/bin/kinetic-runner";
/// The collector's Google credential, if the profile names a Secret with one.
inline constexpr std::string_view kCredentialFile = "/kinetic-credentials/credentials.json";

/// Exit codes of the job's container that are reserved for kinetic, which the Job's pod failure
/// policy matches. All others are the program's.
inline constexpr int kFirstReservedCode = 200;
inline constexpr int kLastReservedCode = 209;
enum ExitCode : int {
  kRetryRequested = 200,        ///< this attempt failed, and the job file allows another
  kFailedBeforeUserCode = 201,  ///< failed before the program started
  kExitCodeInResult = 202,      ///< the outcome is stored, but its code is reserved
  kCollectorLost = 203,         ///< the collector ended without storing an outcome
  kTooManyTasksFailed = 204,    ///< more tasks of the array have failed than it tolerates
};

}  // namespace kinetic::pod
