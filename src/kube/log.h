#pragma once

#include "base/time/clock.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace kinetic::kube {

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

}  // namespace kinetic::kube
