#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "gcs/upload/session_store.h"

namespace kinetic::gcs {

/// Sessions in a folder, one file each, that nobody but its owner can read. Who holds a place holds
/// a lock on its file, which ends with the process. Files older than a week are dead, and are
/// removed when another place is taken.
///
/// @errors   those of FileSystem; a file that is none of ours is no session.
/// @threads  safe to call concurrently, also from several processes.
class SessionFiles final : public SessionKeeper {
 public:
  /// All outlive it, and the file system all places. @param folder  made, 0700, when it is needed.
  SessionFiles(FileSystem& fs, Clock& clock, Path folder)
      : fs_(&fs), clock_(&clock), folder_(std::move(folder)) {}

  Result<std::unique_ptr<SessionPlace>> Take(const std::string& key) override;

 private:
  FileSystem* fs_;
  Clock* clock_;
  Path folder_;
};

}  // namespace kinetic::gcs
