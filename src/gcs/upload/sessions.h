#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <memory>
#include <optional>
#include <string>

namespace kinetic::gcs {

/// An upload that was begun.
struct KeptSession {
  std::string address;  ///< a secret: who has it can write
  std::string mark;     ///< that the object will carry
};

/// The place of one upload's session, which is its holder's alone until it is destroyed.
///
/// @threads  one thread at a time.
class SessionPlace {
 public:
  virtual ~SessionPlace() = default;

  /// What a client before has left.
  virtual const std::optional<KeptSession>& kept() const = 0;
  virtual Status Save(const KeptSession& session) = 0;
  virtual Status Forget() = 0;
};

/// Keeps sessions beyond the life of a client, so that one that was killed goes on where the server
/// says.
///
/// @threads  safe to call concurrently.
class SessionKeeper {
 public:
  virtual ~SessionKeeper() = default;

  /// Null: somebody else sends the same now, and this upload is to have a session of its own.
  ///
  /// @param key  names an upload: what is sent, to where and on what condition. 64 hex digits.
  virtual Result<std::unique_ptr<SessionPlace>> Take(const std::string& key) = 0;
};

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
