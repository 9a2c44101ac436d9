#pragma once

#include "kinetic/result.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/file_system.h"
#include "bundle/source_tree.h"
#include "record/checkpoint.h"
#include "runner/collector.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// So long nothing in the folder may have changed until it counts as complete while a program runs.
inline constexpr std::chrono::seconds kCheckpointQuiet{10};
/// While a file of this name lies in the folder, it is not complete, whatever else is said.
inline constexpr std::string_view kIncompleteMarker = ".incomplete";

/// A job's checkpoint folder and its complete states in the store: docs/reference/runner.md,
/// "Checkpoints". The last two are kept. Content goes to packs and trees as a bundle's does, and is
/// safe from collection by the same rules.
///
/// @threads  one thread at a time.
class Checkpoints {
 public:
  struct Places {
    Path folder;
    Path cache;  ///< a file: what is known of the folder's files
    std::string id;
  };

  Checkpoints(Collector::Seams seams, Places places);

  /// Before an attempt: makes the folder what the last complete state was, or empty without one.
  /// Returns which, for people; nothing without one. One that is damaged or gone is passed over for
  /// the one before.
  ///
  /// @errors  kDataLoss, kNotFound (there is a checkpoint, and none can be read) · those of Store
  ///          and FileSystem.
  Result<std::optional<std::string>> Restore(std::uint32_t attempt, std::stop_token stop);

  /// For an attempt whose program runs already: what is in the folder is its own and stays.
  /// @errors  those of Store.
  Status Resume(std::uint32_t attempt, const std::stop_token& stop);

  /// While a program runs: saves the folder if it is complete and differs from what was saved.
  /// @errors  those of bundle::Walk and bundle::WriteBundle, Store.
  Status Look(std::stop_token stop);

  /// When it has ended: the same, without a quiet time unless it was `killed`, maybe in the middle
  /// of writing.
  Status Finish(bool killed, std::stop_token stop);

 private:
  Result<std::optional<bundle::SourceTree>> Scan(const std::stop_token& stop) const;
  Status LookAt(std::chrono::seconds quiet, const std::stop_token& stop);
  Status Save(const bundle::SourceTree& source, const std::stop_token& stop);
  Result<bool> WriteManifest(const bundle::SourceTree& source, const Digest& tree,
                             const std::stop_token& stop);
  Result<bool> Put(const record::Checkpoint& checkpoint, const std::stop_token& stop);
  Status DropOld(const std::stop_token& stop);
  Result<std::string> LayDown(const record::ListedCheckpoint& listed, const std::stop_token& stop);

  Collector::Seams seams_;
  const Places places_;
  std::uint32_t attempt_ = 0;
  std::vector<record::ListedCheckpoint> kept_;  ///< the oldest first
  std::optional<Digest> saved_tree_;
  bundle::SourceTree saved_;                ///< the folder as it was saved or restored
  std::optional<bundle::SourceTree> seen_;  ///< as it was at the last look
  SteadyTime seen_since_;
};

}  // namespace kinetic::runner
