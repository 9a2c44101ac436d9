#pragma once

#include "base/clock.h"
#include "base/file_system.h"
#include "gcs/session_keeper.h"

namespace kinetic::gcs {

/// Sessions in a folder, one file each, that nobody but its owner can read. Those older than a week
/// are dead, and are removed when another is saved.
///
/// @errors   those of FileSystem; a file that is none of ours is no session.
/// @threads  safe to call concurrently, also from several processes.
class SessionFiles final : public SessionKeeper {
 public:
  /// All outlive it. @param folder  made, 0700, when the first session is saved.
  SessionFiles(FileSystem& fs, Clock& clock, Path folder)
      : fs_(&fs), clock_(&clock), folder_(std::move(folder)) {}

  Result<std::optional<KeptSession>> Load(const std::string& key) override;
  Status Save(const std::string& key, const KeptSession& session) override;
  Status Forget(const std::string& key) override;

 private:
  FileSystem* fs_;
  Clock* clock_;
  Path folder_;
};

}  // namespace kinetic::gcs
