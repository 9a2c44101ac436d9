#pragma once

#include "base/crc32c.h"
#include "base/file_system.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace kinetic {

/// How far the parts of a file have come, in a file beside it: after a kill the rest is fetched. It
/// says what was written and not what has reached the disk, so what it says is compared with its
/// checksum before it is believed.
///
/// @errors   those of FileSystem.
/// @threads  Add is safe to call concurrently.
class PartsJournal {
 public:
  /// The beginning of a part that is there.
  struct Noted {
    std::uint64_t bytes = 0;
    Crc32c checksum;
    bool operator==(const Noted&) const = default;
  };

  /// @param identity  of what is being fetched, one line; a journal of something else begins anew.
  PartsJournal(FileSystem& fs, Path path, std::string identity)
      : fs_(&fs), path_(std::move(path)), identity_(std::move(identity)) {}

  /// What was noted of each part last. A line that a crash cut short is none.
  Result<std::map<std::uint64_t, Noted>> Load();
  /// Goes on with the file that was loaded, or begins it.
  Status Add(std::uint64_t part, const Noted& noted);
  Status Remove();

 private:
  Status Start();

  FileSystem* fs_;
  Path path_;
  std::string identity_;
  std::mutex mutex_;
  UniqueFd file_;
  bool goes_on_ = false;
};

}  // namespace kinetic
