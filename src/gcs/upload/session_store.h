#pragma once

#include "kinetic/result.h"

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

}  // namespace kinetic::gcs
