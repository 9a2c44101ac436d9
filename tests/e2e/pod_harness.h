#pragma once

#include "kinetic/cloud.h"

#include "e2e/runner_harness.h"
#include "pod/log_line.h"

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::test {

/// A pod without a cluster: the real collector and launcher with a shared folder.
class Pod {
 public:
  /// How the launcher is started.
  struct Options {
    std::map<std::string, std::string> environment;  ///< of the job's container
    Path root;                                       ///< root folder of the launcher; empty: ours
    int output = -1;                                 ///< receives the launcher's output; -1: a file
    uid_t user = 0;                                  ///< of the container; 0: ours
  };

  /// Creates the folder and starts the collector, as the kubelet does.
  Pod(Path folder, std::map<std::string, std::string> collector_environment);
  Pod(const Pod&) = delete;
  Pod& operator=(const Pod&) = delete;
  ~Pod();

  void StartCollector();
  void StartLauncher(const Options& options);
  void StartLauncher() { StartLauncher({}); }

  /// Waits until the launcher ends; returns its exit code, or 128 + signal.
  int AwaitLauncher();
  /// Sends SIGTERM to the collector, as the kubelet does after the launcher has ended, and waits.
  int EndCollector();
  /// Sends SIGTERM to the launcher, as the kubelet does when a pod is deleted.
  void Terminate() const;
  /// Kills the launcher with all its descendants.
  void KillContainer();
  void KillCollector();
  /// Stop and continue the collector (SIGSTOP, SIGCONT).
  void FreezeCollector() const;
  void ThawCollector() const;

  bool Has(std::string_view file) const;
  const Path& folder() const { return folder_; }
  Path run() const { return folder_ / "run"; }
  /// Returns the launcher's standard output.
  std::string Output() const;
  /// Returns the output of the last collector process: its log, then its diagnostics.
  std::string Printed() const;
  std::vector<LoggedLine> PrintedRecords() const;
  /// Returns the end line without "end" and the nonce; empty if it was not printed.
  std::string PrintedEnd() const;

 private:
  static pid_t Spawn(const std::vector<std::string>& argv,
                     const std::map<std::string, std::string>& environment, int out, int err,
                     const Path& root, uid_t user);
  int OpenOutput(std::string_view name) const;

  const Path folder_;
  const std::map<std::string, std::string> environment_;
  pid_t collector_ = -1;
  pid_t launcher_ = -1;
};

/// Acts as client and kubelet for `kinetic-runner collect` and kinetic-launcher.
class PodHarness : public RunnerHarness {
 public:
  PodHarness();
  PodHarness(std::unique_ptr<store::Store> store, CloudOptions cloud);

  /// Writes the record. Otherwise StartPod does.
  void Submit(const record::Record& job);
  /// Starts a pod of the job in an empty folder: its collector runs.
  std::unique_ptr<Pod> StartPod(const record::Record& job);
  /// The same, in a given folder.
  std::unique_ptr<Pod> StartPodIn(const Path& folder, const record::Record& job);
  /// Runs a pod with its launcher to the end. Returns the launcher's exit code.
  int RunPod(const record::Record& job, const Pod::Options& options = {});

  record::StoredOutcome Outcome(const record::Record& job);
  /// The task of an array that the next pods run, as Kubernetes tells their containers.
  std::optional<std::uint32_t> task;
  /// The pod of the last RunPod.
  std::unique_ptr<Pod> last;

 private:
  CloudOptions cloud_;
  std::map<std::string, std::string> sha256_;  ///< SHA-256 of records by id
  int pods_ = 0;
};

/// PATH with the machine's programs.
inline constexpr const char* kPath = "/usr/local/bin:/usr/bin:/bin";

/// Returns the version of the Python in kPath: "3.11".
std::string PythonVersion();

}  // namespace kinetic::test
