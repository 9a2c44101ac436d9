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

/// Of the clock of a bucket's server.
inline constexpr std::chrono::seconds kDateResolution{1};

/// A strict Cloud Storage of one's own with one bucket, "bucket", which goes by the clock given. It
/// is started when it is first asked for.
class BucketServer {
 public:
  /// `clock` outlives it.
  explicit BucketServer(Clock& clock) : clock_(clock) {}

  gcs_server::Server& server();
  std::string Url() { return server().Url(); }
  /// Our way to it; outlives the server without harm.
  std::shared_ptr<http::Transport> Connect(curl::Options options = {});

 private:
  Clock& clock_;
  TempTree folder_;
  std::unique_ptr<gcs_server::Server> server_;
};

}  // namespace kinetic::test
