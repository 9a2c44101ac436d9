#pragma once

#include "kinetic/job.h"
#include "kinetic/job_spec.h"

#include "local/runtime.h"
#include "record/job_record.h"
#include "record/outcome.h"
#include "store/object_store.h"
#include "support/temp_tree.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::test {

/// Returns the contents of a file, or "" if it cannot be read.
std::string ReadWhole(const Path& file);

/// A copy of a log record.
struct LoggedLine {
  std::uint64_t sequence;
  std::uint32_t attempt;
  Stream stream;
  std::string text;
};

/// Acts as client for the real kinetic-runner: writes bundles and records to a folder store, starts
/// supervisors, and reads their results.
class RunnerHarness {
 public:
  RunnerHarness();
  /// Uses another store.
  explicit RunnerHarness(std::unique_ptr<store::Store> store);

  /// Returns a job that calls `callable` of job.py, which has the content `source`.
  record::Record FunctionJob(std::string_view source, std::string_view callable = "main",
                             Arguments args = {});
  /// Returns a job that runs a line with /bin/sh.
  record::Record ShellJob(std::string line);
  /// Stores a bundle of files by path; those that start with "#!" are executable.
  Digest PutBundle(const std::map<std::string, std::string>& files);

  /// Writes the record; returns its SHA-256.
  std::string PutRecord(const record::Record& record);
  /// Writes the record and starts its supervisor; returns when it is ready.
  void Start(const record::Record& record);
  /// Waits until the job's supervisor has ended; returns the stored outcome.
  record::StoredOutcome Await(const record::Record& record);
  record::StoredOutcome Run(const record::Record& record);
  /// Waits for a status that satisfies `wanted`.
  void AwaitStatus(const record::Record& record,
                   const std::function<bool(const record::AttemptStatus&)>& wanted);
  void AwaitRunning(const record::Record& record);

  std::vector<LoggedLine> Log(const record::Record& record);
  /// Returns the text of one stream.
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

/// Waits for a condition; fails the test after 30 seconds.
void Eventually(const std::function<bool()>& condition, std::string_view what);

}  // namespace kinetic::test
