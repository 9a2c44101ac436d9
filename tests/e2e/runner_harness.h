#pragma once

#include "kinetic/job.h"
#include "kinetic/job_spec.h"

#include "local/runtime.h"
#include "record/outcome.h"
#include "record/record.h"
#include "store/store.h"
#include "support/temp_tree.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::test {

/// One record of a log, kept.
struct LoggedLine {
  std::uint64_t sequence;
  std::uint32_t attempt;
  Stream stream;
  std::string text;
};

/// Plays the client before the real kinetic-runner: writes bundles and records into a folder store,
/// starts supervisors, reads what they leave.
class RunnerHarness {
 public:
  RunnerHarness();
  /// With a store of another kind.
  explicit RunnerHarness(std::unique_ptr<store::Store> store);

  /// A job of the function `module:callable` in the file module.py.
  record::Record FunctionJob(std::string_view source, std::string_view callable = "main",
                             Arguments args = {});
  /// A job of a line for /bin/sh.
  record::Record ShellJob(std::string line);
  /// The bundle of files by path; those that begin with "#!" are executable.
  Digest PutBundle(const std::map<std::string, std::string>& files);

  /// Writes the record; returns its sha256.
  std::string PutRecord(const record::Record& record);
  /// Writes the record and starts its supervisor; returns when that is ready.
  void Start(const record::Record& record);
  /// Waits until the job's supervisor has gone, and returns the outcome it stored.
  record::StoredOutcome Await(const record::Record& record);
  record::StoredOutcome Run(const record::Record& record);
  /// Waits for a status that satisfies `wanted`.
  void AwaitStatus(const record::Record& record,
                   const std::function<bool(const record::AttemptStatus&)>& wanted);
  void AwaitRunning(const record::Record& record);

  std::vector<LoggedLine> Log(const record::Record& record);
  /// All text of one stream.
  std::string Text(const record::Record& record, Stream stream);
  bool HasResult(const record::Record& record);
  std::string Stored(std::string_view name);

  local::Runtime RuntimeOf(const record::Record& record) const;
  local::SupervisorIdentity Supervisor(const record::Record& record) const;
  void Cancel(const record::Record& record) const;

  std::map<std::string, std::string> secrets;
  std::uint32_t concurrency = 8;
  Path python;
  TempTree tree;

  store::Store& store() { return *store_; }

 private:
  record::Record NewRecord();

  std::unique_ptr<store::Store> store_;
};

/// Waits for a condition that another process brings about; fails the test after half a minute.
void Eventually(const std::function<bool()>& condition, std::string_view what);

}  // namespace kinetic::test
