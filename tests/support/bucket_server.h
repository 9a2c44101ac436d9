#pragma once

#include "base/time/clock.h"
#include "curl/transport.h"
#include "http/transport.h"
#include "support/gcs_server/server.h"
#include "support/temp_tree.h"

#include <chrono>
#include <memory>
#include <string>

namespace kinetic::test {

/// Resolution of the server's dates.
inline constexpr std::chrono::seconds kDateResolution{1};

/// A Cloud Storage test server with one bucket, "bucket", that uses the given clock. Starts on the
/// first request.
class BucketServer {
 public:
  /// `clock` outlives it.
  explicit BucketServer(Clock& clock) : clock_(clock) {}

  gcs_server::Server& server();
  std::string Url() { return server().Url(); }
  /// Returns a transport to the server, which it may outlive.
  std::shared_ptr<http::Transport> Connect(curl::Options options = {});

 private:
  Clock& clock_;
  TempTree folder_;
  std::unique_ptr<gcs_server::Server> server_;
};

}  // namespace kinetic::test
