#pragma once

#include "kinetic/cloud.h"

#include "e2e/runner_harness.h"
#include "pod/log_line.h"

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::test {

/// One pod without a cluster: the real collector and the real launcher, which share a folder.
class Pod {
 public:
  /// How the launcher is started.
  struct Options {
    std::map<std::string, std::string> environment;  ///< of the job's container
    Path root;        ///< what the launcher sees as "/"; empty: what we see
    int output = -1;  ///< gets what the launcher writes; -1: a file
    uid_t user = 0;   ///< of the container; 0: ours
  };

  /// Makes the folder and starts the collector, as the kubelet does.
  Pod(Path folder, std::map<std::string, std::string> collector_environment);
  Pod(const Pod&) = delete;
  Pod& operator=(const Pod&) = delete;
  ~Pod();

  void StartCollector();
  void StartLauncher(const Options& options);
  void StartLauncher() { StartLauncher({}); }

  /// Waits for the launcher's end; returns its exit code, or 128 and the signal that ended it.
  int AwaitLauncher();
  /// Tells the collector to end, as the kubelet does when the launcher is gone, and waits for it.
  int EndCollector();
  /// What the kubelet does with a pod that is to end.
  void Terminate() const;
  /// Kills the launcher with everything that it has started.
  void KillContainer();
  void KillCollector();
  /// Lets the collector stand still, and go on.
  void FreezeCollector() const;
  void ThawCollector() const;

  bool Has(std::string_view file) const;
  const Path& folder() const { return folder_; }
  Path run() const { return folder_ / "run"; }
  /// What the launcher wrote to its standard output.
  std::string Output() const;
  /// What the collector wrote in its last life: its log, then its diagnostics.
  std::string Printed() const;
  std::vector<LoggedLine> PrintedRecords() const;
  /// "end …" without the nonce; nothing when it was not printed.
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

/// Plays the client and the kubelet before kinetic-runner collect and kinetic-launcher.
class PodHarness : public RunnerHarness {
 public:
  PodHarness();
  PodHarness(std::unique_ptr<store::Store> store, CloudOptions cloud);

  /// Writes the record; otherwise the first pod does.
  void Submit(const record::Record& job);
  /// A pod of the job, on a machine where nothing is: its collector runs.
  std::unique_ptr<Pod> StartPod(const record::Record& job);
  /// The same, in that folder.
  std::unique_ptr<Pod> StartPodIn(const Path& folder, const record::Record& job);
  /// The same with its launcher, to its end. Returns the launcher's exit code.
  int RunPod(const record::Record& job, const Pod::Options& options = {});

  record::StoredOutcome Outcome(const record::Record& job);
  /// What the pod that RunPod ran has left.
  std::unique_ptr<Pod> last;

 private:
  CloudOptions cloud_;
  std::map<std::string, std::string> sha256_;  ///< of records, by id
  int pods_ = 0;
};

/// The machine's own programs, for every user.
inline constexpr const char* kPath = "/usr/local/bin:/usr/bin:/bin";

/// Of the Python that is found there: "3.11".
std::string PythonVersion();

}  // namespace kinetic::test
