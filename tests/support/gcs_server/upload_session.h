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

/// A resumable upload under way.
///
/// @threads  `mutex` guards all of it; whoever appends holds it for that long only, so that a
/// client whose connection died can go on while the server still waits for the dead one.
struct UploadSession {
  std::mutex mutex;
  std::string bucket;
  std::string name;
  nlohmann::json attributes;
  DeclaredSums sums;
  Preconditions conditions;
  Grant grant;                               ///< of who began it
  std::optional<std::uint64_t> total_bytes;  ///< as soon as a request has said so
  std::optional<ContentWriter> writer;       ///< none after the end
  std::uint64_t turn = 0;                    ///< of the request that may append
  nlohmann::json resource;                   ///< when it is complete; else null
  int ended = 0;                             ///< the status of one that is dead: 404 or 410
};

/// The sessions of a server, by the ids that stand for a permission to write.
///
/// @threads  safe to call concurrently.
class UploadSessions {
 public:
  std::string Add(std::shared_ptr<UploadSession> session);
  /// Null: never heard of.
  std::shared_ptr<UploadSession> Find(const std::string& id) const;
  /// All that are not complete die, as they do after a week: requests to them get `status`.
  void EndAll(int status);
  std::size_t open() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<UploadSession>> sessions_;
};

}  // namespace kinetic::gcs_server
