#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "local/private_mounts.h"
#include "local/runtime.h"
#include "record/job_record.h"

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// Data that a program reads from the folder that it was stored from, instead of a copy: an overlay,
/// so that the program can change its data, but not the folder. docs/adr/0030-data-in-place.md.
///
/// @threads  one thread at a time.
class DataInPlace {
 public:
  /// @param sources  LaunchRequest::sources.
  DataInPlace(FileSystem& fs, local::Runtime runtime,
              std::map<std::string, local::StoredSource> sources)
      : fs_(fs), runtime_(std::move(runtime)), sources_(std::move(sources)) {}

  /// Forgets the data of the attempt before.
  Status Clear();

  /// Prepares an overlay at the place of a dataset. Returns false if it must be copied: it is small,
  /// its files have changed since they were stored, the file system can copy without using space, or
  /// this machine does not allow the mount.
  bool Provide(const std::string& path, const record::DataTree& data, const std::stop_token& stop);

  /// Returns the overlays that the program needs.
  const std::vector<local::Overlay>& overlays() const { return overlays_; }

  /// Returns notes for the log about data that has changed since Provide.
  std::vector<std::string> ChangeNotes(const std::stop_token& stop) const;

 private:
  struct UsedSource {
    std::string path;  ///< in the job
    Path source;
    Digest state;  ///< of the metadata of its files
  };

  FileSystem& fs_;
  const local::Runtime runtime_;
  const std::map<std::string, local::StoredSource> sources_;
  std::vector<local::Overlay> overlays_;
  std::vector<UsedSource> used_;
};

}  // namespace kinetic::runner
