#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>

namespace kinetic::gcs {

/// An upload that was begun.
struct KeptSession {
  std::string address;  ///< a secret: who has it can write
  std::string mark;     ///< that the object will carry
};

/// Keeps sessions beyond the life of a client, so that one that was killed goes on where the server
/// says.
///
/// @threads  safe to call concurrently.
class SessionKeeper {
 public:
  virtual ~SessionKeeper() = default;

  /// @param key  names an upload: what is sent, to where and on what condition. 64 hex digits.
  virtual Result<std::optional<KeptSession>> Load(const std::string& key) = 0;
  virtual Status Save(const std::string& key, const KeptSession& session) = 0;
  virtual Status Forget(const std::string& key) = 0;
};

}  // namespace kinetic::gcs
