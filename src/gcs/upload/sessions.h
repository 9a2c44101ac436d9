#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <memory>
#include <optional>
#include <string>

namespace kinetic::gcs {

struct SavedSession {
  std::string url;   ///< a secret that permits writing
  std::string mark;  ///< of the object to be created
};

/// Exclusive access to the saved session of one upload, until it is destroyed.
///
/// @threads  one thread at a time.
class UploadSession {
 public:
  virtual ~UploadSession() = default;

  /// Returns the session that an earlier client saved.
  virtual const std::optional<SavedSession>& saved() const = 0;
  virtual Status Save(const SavedSession& session) = 0;
  virtual Status Remove() = 0;
};

/// Saves sessions beyond the life of a client, so that a killed upload can resume.
///
/// @threads  safe to call concurrently.
class SessionStore {
 public:
  virtual ~SessionStore() = default;

  /// Returns null if another upload has the session open.
  ///
  /// @param key  64 hex digits that identify content, destination and preconditions.
  virtual Result<std::unique_ptr<UploadSession>> Open(const std::string& key) = 0;
};

/// Stores each session in a file with mode 0600, which is locked while it is open. Removes files
/// older than a week, because sessions expire.
///
/// @errors   those of FileSystem; a malformed file is no session.
/// @threads  safe to call concurrently, also from several processes.
class FileSessionStore final : public SessionStore {
 public:
  /// `fs` must outlive all open sessions. `folder` is created with mode 0700.
  FileSessionStore(FileSystem& fs, Clock& clock, Path folder)
      : fs_(&fs), clock_(&clock), folder_(std::move(folder)) {}

  Result<std::unique_ptr<UploadSession>> Open(const std::string& key) override;

 private:
  FileSystem* fs_;
  Clock* clock_;
  Path folder_;
};

}  // namespace kinetic::gcs
