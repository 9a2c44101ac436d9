#pragma once

#include "kinetic/error.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/time/clock.h"
#include "http/retry.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace kinetic::kube {

/// The field manager of kinetic's writes.
inline constexpr std::string_view kFieldManager = "kinetic";

/// How to reach an API server. Credentials are the transport's task.
struct ClientOptions {
  std::string server;                  ///< "https://10.0.0.1:6443", without a '/' at its end
  std::string user_agent = "kinetic";  ///< appears in the server's audit log
  /// Retries of one call. The time limit covers the restart of an API server.
  http::RetryPolicy retry{1'000, std::chrono::milliseconds{100}, std::chrono::milliseconds{2'000},
                          std::chrono::milliseconds{45'000}};
  /// The limit for a request without progress, except watches and logs.
  std::chrono::milliseconds stall_timeout{30'000};
};

/// Which objects of a kind to list or watch.
struct ListOptions {
  std::string label_selector;  ///< "kinetic.dev/job-id=ab12"; empty: all
  std::string field_selector;  ///< "metadata.name=n"; empty: all
  int page_items = 500;        ///< per response, which is in memory as a whole
};

struct DeleteOptions {
  std::optional<std::chrono::seconds> grace;  ///< 0: immediately; none: the object's own
  std::string uid;                            ///< a precondition; empty: any
  std::string version;                        ///< resourceVersion, a precondition; empty: any
};

/// Which part of a container's log to read.
struct LogQuery {
  std::string container;  ///< empty: the only one
  bool follow = false;    ///< until the container ends
  /// The server truncates it to seconds, so lines of that second are repeated.
  std::optional<WallTime> since_time;
  std::optional<int> tail_lines;  ///< how many of the present lines to read; nullopt: all
  /// How long a followed log may be silent; zero: no limit. A silent program cannot be told from a
  /// dead connection.
  std::chrono::milliseconds idle_timeout{0};
};

/// How a log stream ended.
struct LogEnd {
  enum class Reason : std::uint8_t {
    /// The server closed the stream: the container has ended, or its node or an API server shut
    /// down. The pod's status distinguishes them.
    kEnded,
    kNotStarted,   ///< the pod has no node yet, or the container waits; `message` has the cause
    kNotFound,     ///< no such pod
    kInterrupted,  ///< the connection failed or timed out after the stream had begun
  };
  Reason reason = Reason::kEnded;
  std::string message;      ///< from the server or the transport; may be empty
  std::uint64_t bytes = 0;  ///< passed to the sink
};

struct WatchEvent {
  enum class Kind : std::uint8_t {
    kUpdated,  ///< new or changed
    kDeleted,  ///< deleted, or no longer selected
    kSynced,   ///< the initial list is complete; sent once
  };
  Kind kind = Kind::kUpdated;
  /// Null for kSynced. An object that was deleted while the watch was disconnected has only the
  /// metadata name, namespace, uid and the last resourceVersion reported.
  const Value* object = nullptr;
};

using EventSink = std::function<Status(const WatchEvent& event)>;

struct WatchOptions {
  /// Called with an error when the server has been unreachable for more than one attempt, and with
  /// null when it responds again. May be empty.
  std::function<void(const Error* error)> on_health_change;
  /// Delays between attempts; practically unlimited.
  http::RetryPolicy retry{1'000'000, std::chrono::milliseconds{100},
                          std::chrono::milliseconds{3'000}, std::chrono::hours{24 * 365}};
  /// A connection without data for this long is dead: the server sends a bookmark about every
  /// minute.
  std::chrono::milliseconds idle_timeout{100'000};
  /// After which the server closes a connection and the watch opens another.
  std::chrono::seconds connection_lifetime{300};
  /// How long 401, 403 and 404 are retried after the watch has been established once: an API server
  /// that is starting may return them.
  std::chrono::milliseconds rejection_grace{20'000};
};

}  // namespace kinetic::kube
