#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "bundle/source/walk.h"
#include "local/program_files.h"
#include "record/checkpoint.h"
#include "runner/staging/job_store.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// Time without a change after which the folder counts as complete while the program runs.
inline constexpr std::chrono::seconds kCheckpointQuiet{10};
/// A folder that contains a file of this name is never complete.
inline constexpr std::string_view kIncompleteMarker = ".incomplete";

/// A job's checkpoint folder and its complete states in the store: docs/reference/runner.md,
/// "Checkpoints". The last two are kept. Content is stored and collected like a bundle's.
///
/// @threads  one thread at a time.
class Checkpoints {
 public:
  struct Locations {
    Path folder;
    Path cache;  ///< stat cache of the folder's files
    std::string id;
  };

  Checkpoints(JobStore::Dependencies deps, Locations locations);

  /// Resets the folder to the last complete state before an attempt, or empties it if there is
  /// none. Returns a description of the state, or nullopt. If a state is damaged or missing, the
  /// previous one is used.
  ///
  /// @errors  kDataLoss, kNotFound (checkpoints exist and none is readable) · those of Store and
  ///          FileSystem.
  Result<std::optional<std::string>> Restore(std::uint32_t attempt, std::stop_token stop);

  /// Resumes an attempt whose program already runs; the folder stays as it is.
  /// @errors  those of Store.
  Status Resume(std::uint32_t attempt, const std::stop_token& stop);

  /// Opens the folder for Poll and Finish. Call before the program runs.
  /// @param user  as in ProgramFiles::Open.
  Status Open(std::optional<std::uint32_t> user);

  /// Saves the folder if it is complete and differs from the last saved state.
  /// @errors  those of bundle::Walk and bundle::WriteBundle, Store.
  Status Poll(std::stop_token stop);

  /// Saves the folder after the program has ended. The quiet time counts only if the program was
  /// `killed`, because it may have been writing.
  Status Finish(bool killed, std::stop_token stop);

 private:
  Result<std::optional<bundle::SourceTree>> Scan(const std::stop_token& stop);
  void SkipUnreadable(bundle::SourceTree& tree);
  Status SaveIfQuiet(std::chrono::seconds quiet, const std::stop_token& stop);
  Status Save(const bundle::SourceTree& source, const std::stop_token& stop);
  Result<bool> WriteManifest(const bundle::SourceTree& source, const Digest& tree,
                             const std::stop_token& stop);
  Result<bool> Put(const record::Checkpoint& checkpoint, const std::stop_token& stop);
  Status RemoveOld(const std::stop_token& stop);
  Result<std::string> RestoreFrom(const record::ListedCheckpoint& listed,
                                  const std::stop_token& stop);

  JobStore::Dependencies deps_;
  const Locations locations_;
  std::optional<local::ProgramFiles> files_;
  std::set<std::string> skipped_;  ///< as reported
  std::uint32_t attempt_ = 0;
  std::vector<record::ListedCheckpoint> kept_;  ///< oldest first
  std::optional<Digest> saved_tree_;
  bundle::SourceTree saved_;                ///< the folder as it was saved or restored
  std::optional<bundle::SourceTree> seen_;  ///< the folder at the last poll
  SteadyTime seen_since_;
};

}  // namespace kinetic::runner
