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

/// A project with a job file, and clients with their own store and state folder. All tests share
/// the environments, which are identified by their content.
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
  /// Returns a client as another terminal would open it.
  Client Open() const;
  /// Returns a client as another machine with the same store would open it.
  Client OpenOnOtherMachine() const;

  /// Returns the job that a job file describes.
  JobSpec Job(std::string_view text) const;

  /// Sets the number of concurrent jobs.
  std::uint32_t concurrency = 4;
  std::map<std::string, std::string> environment;

 private:
  TempTree tree_;
};

/// Returns the value of a result; fails the test if there is none.
template <typename T>
T Must(Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().message + " (" + result.error().hint + ")");
  }
  return *std::move(result);
}

/// Returns records of a log as "{sequence}{o|e|s} {text}", up to the end or `stop`.
std::vector<std::string> ReadLog(const Job& job, const LogOptions& options);

/// Returns the names of the objects in a folder store.
std::vector<std::string> Objects(const Path& store);

/// Waits for another process for at most ten seconds.
bool Eventually(const std::function<bool()>& condition);

/// Records the events of an operation.
class RecordingObserver final : public Observer {
 public:
  void OnPhaseBegin(Phase phase, std::string_view what) override;
  void OnPhaseEnd(Phase phase, std::string_view detail) override;
  void OnWarning(std::string_view message) override;

  /// Ended phases as "package: 2 files, 120 B", in order.
  std::vector<std::string> ended() const;
  std::vector<std::string> warnings() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> ended_;
  std::vector<std::string> warnings_;
};

}  // namespace kinetic::test
