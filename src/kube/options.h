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

/// Who writes a field, as the API server keeps it for each of them.
inline constexpr std::string_view kFieldManager = "kinetic";

/// How to reach an API server. The transport shows the credential.
struct ClientOptions {
  std::string server;                  ///< "https://10.0.0.1:6443", without a '/' at its end
  std::string user_agent = "kinetic";  ///< what the server's audit log shows
  /// Of one call. It outlives the restart of an API server; the number of attempts is no limit.
  http::RetryPolicy retry{1'000, std::chrono::milliseconds{100}, std::chrono::milliseconds{2'000},
                          std::chrono::milliseconds{45'000}};
  /// The longest time in which no byte of a request moves, watches and logs aside.
  std::chrono::milliseconds stall_timeout{30'000};
};

/// Which objects of a kind.
struct Query {
  std::string label_selector;  ///< "kinetic.dev/job-id=ab12"; empty: all
  std::string field_selector;  ///< "metadata.name=n"; empty: all
  /// Of one answer, which is in memory as a whole.
  int page_items = 500;
};

struct CreateOptions {
  bool dry_run = false;  ///< the server validates and admits, and keeps nothing
  bool strict = true;    ///< a field that the server does not know is refused
};

enum class PatchKind : std::uint8_t {
  kMerge,      ///< RFC 7386
  kStrategic,  ///< lists by their keys; not for custom resources
  kJson,       ///< RFC 6902; not sent again once it may have arrived
  kApply,      ///< server-side apply as kFieldManager, taking fields over from others
};

/// What becomes of what an object owns.
enum class Propagation : std::uint8_t {
  kBackground,  ///< the object goes at once, what it owns soon after
  kForeground,  ///< what it owns first
  kOrphan,      ///< what it owns stays
};

struct DeleteOptions {
  Propagation propagation = Propagation::kBackground;
  std::optional<std::chrono::seconds> grace;  ///< 0: at once; none: the object's own
  std::string uid;      ///< only the object with this uid; empty: whichever has the name
  std::string version;  ///< only while its resourceVersion is this; empty: whichever
};

/// Which part of a container's log.
struct LogQuery {
  std::string container;  ///< empty: the only one
  bool follow = false;    ///< until the container ends
  bool previous = false;  ///< of the container before its last restart
  bool timestamps = false;
  /// The server cuts it to a whole second and sends that second again.
  std::optional<WallTime> since_time;
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> limit_bytes;
  /// The longest silence of one that follows; zero: for ever. A program that prints nothing looks
  /// like a dead connection.
  std::chrono::milliseconds idle_timeout{0};
};

/// Why a stream of a log ended.
struct LogEnd {
  enum class Why : std::uint8_t {
    /// The server ended it properly: the container has ended, or its node or an API server went
    /// down; the pod's status tells which.
    kEnded,
    kNotStarted,  ///< the pod has no node yet, or the container waits: `message` says for what
    kGone,        ///< there is no such pod, or no log before the last restart
    kCut,         ///< the connection broke or was silent for too long after it had begun
  };
  Why why = Why::kEnded;
  std::string message;      ///< the server's or the transport's words; may be empty
  std::uint64_t bytes = 0;  ///< passed to the sink
};

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
