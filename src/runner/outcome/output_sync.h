#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "local/outputs.h"
#include "runner/staging/job_store.h"
#include "store/object_store.h"

#include <chrono>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// Time without a change after which a file is stored while the program runs.
inline constexpr std::chrono::seconds kOutputQuiet{5};

/// Mirrors a job's output folder to outputs/{id}/…: stores new and changed files while the program
/// runs, and the rest at the end. Unchanged files are not sent again; without changes the store is
/// not accessed.
///
/// @threads  one thread at a time.
class OutputSync {
 public:
  struct Locations {
    Path folder;
    std::string id;
  };

  OutputSync(JobStore::Dependencies deps, Locations locations);

  /// Opens the folder. Call before the program runs. @param user  as in ProgramFiles::Open.
  Status Open(std::optional<std::uint32_t> user);

  /// Stores the files that have not changed for kOutputQuiet.
  /// @errors  those of Store and FileSystem, after all files were tried.
  Status Poll(std::stop_token stop);

  /// Returns what Finish will not store, and why: "a/link: points outside the output folder".
  std::vector<std::string> Skipped(std::stop_token stop);

  /// Stores all remaining changes after the program ended, and removes objects that this instance
  /// stored for files that no longer exist.
  ///
  /// @errors  the store is unavailable · kCancelled; call it again then.
  Result<local::OutputReport> Finish(std::stop_token stop);

 private:
  struct Stored {
    local::ScannedOutput file;  ///< as it was when it was sent
    store::ObjectInfo info;
  };
  struct Seen {
    local::ScannedOutput file;
    SteadyTime since;
  };

  void Observe(const std::vector<local::ScannedOutput>& files);
  bool IsStored(const local::ScannedOutput& file) const;
  bool IsQuiet(const local::ScannedOutput& file) const;
  Result<std::optional<Error>> Send(const std::vector<local::ScannedOutput>& files,
                                    const std::stop_token& stop);
  Status RemoveDeleted(const std::vector<local::ScannedOutput>& files, const std::stop_token& stop);

  Result<local::OutputScan> Scan(const std::stop_token& stop);

  JobStore::Dependencies deps_;
  const Locations locations_;
  std::optional<local::ProgramFiles> files_;
  std::map<std::string, Stored> stored_;  ///< by path
  std::map<std::string, Seen> seen_;      ///< at the last poll, by path
};

}  // namespace kinetic::runner
