#pragma once

#include "kinetic/error.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "http/retry.h"

#include <chrono>
#include <cstdint>
#include <functional>

namespace kinetic::kube {

/// What a watch tells.
struct Event {
  enum class Kind : std::uint8_t {
    kPresent,  ///< it is there, and is new or has changed
    kDeleted,  ///< it is gone, or does not match the query any more
    kSynced,   ///< all that was there in the beginning has been told; once
  };
  Kind kind = Kind::kPresent;
  /// Null with kSynced. Of an object that went while nothing was heard there is only `metadata`
  /// with name, namespace, uid and the last resourceVersion that was told.
  const Value* object = nullptr;
};

using EventSink = std::function<Status(const Event& event)>;

struct WatchOptions {
  /// Told of an error when the server cannot be reached or refuses for a while, and with null when
  /// it is heard again; of what the watch mends at its first attempt it is not. May be empty.
  std::function<void(const Error* error)> on_trouble;
  /// Between attempts. They never end.
  http::RetryPolicy retry{1'000'000, std::chrono::milliseconds{100},
                          std::chrono::milliseconds{3'000}, std::chrono::hours{24 * 365}};
  /// A connection on which nothing arrives for so long is dead: the server sends a bookmark about
  /// every minute.
  std::chrono::milliseconds idle_timeout{100'000};
  /// After which the server ends a connection, that another takes its place.
  std::chrono::seconds connection_time{300};
  /// For how long a refusal (401, 403, 404) is put down to a server that has just started, once
  /// the watch has been let in.
  std::chrono::milliseconds refusal_time{20'000};
};

}  // namespace kinetic::kube
