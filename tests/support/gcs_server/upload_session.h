#pragma once

#include "support/gcs_server/access.h"
#include "support/gcs_server/content_writer.h"
#include "support/gcs_server/object.h"
#include "support/gcs_server/preconditions.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace kinetic::gcs_server {

/// A resumable upload in progress.
///
/// @threads  `mutex` guards all fields. It is held only while appending, so that a client can
/// continue while the server still waits for a dead connection.
struct UploadSession {
  std::mutex mutex;
  std::string bucket;
  std::string name;
  nlohmann::json attributes;
  DeclaredSums sums;
  Preconditions conditions;
  Grant grant;                               ///< of the account that started it
  std::optional<std::uint64_t> total_bytes;  ///< known once a request has stated it
  std::optional<ContentWriter> writer;       ///< none after completion
  std::uint64_t turn = 0;                    ///< of the request that may append
  nlohmann::json resource;                   ///< once complete; otherwise null
  int ended = 0;                             ///< status of an ended session: 404 or 410
};

/// The sessions of a server by id, which implies a permission to write.
///
/// @threads  safe to call concurrently.
class UploadSessions {
 public:
  std::string Add(std::shared_ptr<UploadSession> session);
  /// Returns null for an unknown id.
  std::shared_ptr<UploadSession> Find(const std::string& id) const;
  /// Ends all incomplete sessions, as after a week: requests to them return `status`.
  void EndAll(int status);
  std::size_t open() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<UploadSession>> sessions_;
};

}  // namespace kinetic::gcs_server
