#pragma once

#include "kinetic/result.h"

#include "base/clock.h"
#include "base/file_system.h"
#include "local/outputs.h"
#include "runner/collector.h"
#include "store/store.h"

#include <chrono>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// So long a file may not have changed until it is stored while its program runs.
inline constexpr std::chrono::seconds kOutputQuiet{5};

/// Keeps outputs/{id}/… like a job's output folder: stores what is new or changed while the program
/// runs, and at the end what is left to do. What did not change since it was stored is not sent
/// again, and when nothing has changed the store is asked nothing.
///
/// @threads  one thread at a time.
class OutputSync {
 public:
  struct Places {
    Path folder;
    std::string id;
  };

  OutputSync(Collector::Seams seams, Places places);

  /// Stores the files that have not changed for kOutputQuiet.
  /// @errors  those of Store and FileSystem; all files were tried.
  Status Look(std::stop_token stop);

  /// When no program runs any more: stores all that is not stored as it is, and removes what this
  /// object stored of files that are not there any more.
  ///
  /// @errors  the store is away (local::IsAway) · kCancelled; to be called again then.
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

  void Watch(const std::vector<local::ScannedOutput>& files);
  bool IsStored(const local::ScannedOutput& file) const;
  bool IsQuiet(const local::ScannedOutput& file) const;
  Result<std::optional<Error>> Send(const std::vector<local::ScannedOutput>& files,
                                    const std::stop_token& stop);
  Status RemoveGone(const std::vector<local::ScannedOutput>& files, const std::stop_token& stop);

  Collector::Seams seams_;
  const Places places_;
  std::map<std::string, Stored> stored_;  ///< by path
  std::map<std::string, Seen> seen_;      ///< at the last look
};

}  // namespace kinetic::runner
