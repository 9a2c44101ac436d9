#pragma once

#include "base/crc32c.h"
#include "base/file_system.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace kinetic::gcs {

/// Which parts of a file are there, in a file beside it: after a kill the rest is fetched. It says
/// what was written and not what has reached the disk, so each part is compared with its checksum
/// before it is believed.
///
/// @errors   those of FileSystem.
/// @threads  Add is safe to call concurrently.
class PartsJournal {
 public:
  /// @param identity  of what is being fetched, one line; a journal of something else begins anew.
  PartsJournal(FileSystem& fs, Path path, std::string identity)
      : fs_(&fs), path_(std::move(path)), identity_(std::move(identity)) {}

  /// The checksum of each part that was noted, as it was noted last. A line that a crash cut short
  /// is none.
  Result<std::map<std::uint64_t, Crc32c>> Load();
  /// Goes on with the file that was loaded, or begins it. To be called before Add.
  Status Start();
  Status Add(std::uint64_t part, Crc32c checksum);
  Status Remove();

 private:
  FileSystem* fs_;
  Path path_;
  std::string identity_;
  std::mutex mutex_;
  UniqueFd file_;
  bool goes_on_ = false;
};

}  // namespace kinetic::gcs
