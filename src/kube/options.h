#pragma once

#include "http/retry.h"

#include <chrono>
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

}  // namespace kinetic::kube
