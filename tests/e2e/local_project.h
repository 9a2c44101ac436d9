#pragma once

#include "kinetic/kinetic.h"

#include "support/temp_tree.h"

#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::test {

/// A project with a job file, and clients of a store and a state folder of its own. Environments
/// are shared by all tests: they are found by their content.
class LocalProject {
 public:
  LocalProject();
  ~LocalProject();

  const TempTree& files() const { return tree_; }
  /// Writes a file of the project.
  void Write(std::string_view name, std::string_view content, std::uint32_t mode = 0644) const;
  Path Root() const { return tree_ / "project"; }
  Path StateDir() const { return tree_ / "state"; }
  Path Store() const { return tree_ / "store"; }

  ClientOptions Options() const;
  /// A client as another terminal would open it.
  Client Open() const;
  /// A client as another machine with the same store would open it.
  Client OpenElsewhere() const;

  /// The job that a job file with this text describes.
  JobSpec Job(std::string_view text) const;

  /// Jobs that run at once.
  std::uint32_t concurrency = 4;
  std::map<std::string, std::string> environment;

 private:
  TempTree tree_;
};

/// The value of a result, or a test failure and a default.
template <typename T>
T Must(Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().message + " (" + result.error().hint + ")");
  }
  return *std::move(result);
}

/// Records of a log as "{sequence}{o|e|s} {text}", up to the end or `stop`.
std::vector<std::string> ReadLog(const Job& job, const LogOptions& options,
                                 std::stop_token stop = {});

/// Names of the objects in a folder store.
std::vector<std::string> Objects(const Path& store);

/// Waits for something that another process does, at most ten seconds.
bool Eventually(const std::function<bool()>& condition);

/// Takes note of what an operation tells.
class RecordingObserver final : public Observer {
 public:
  void OnPhaseBegin(Phase phase, std::string_view what) override;
  void OnPhaseEnd(Phase phase, std::string_view detail) override;
  void OnWarning(std::string_view message) override;

  /// "package: 2 files, 120 B", in order of their ends.
  std::vector<std::string> ended() const;
  std::vector<std::string> warnings() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> ended_;
  std::vector<std::string> warnings_;
};

}  // namespace kinetic::test
