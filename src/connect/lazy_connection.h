#pragma once

#include "connect/connection.h"
#include "gcs/client.h"
#include "gcs/upload/sessions.h"

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

namespace kinetic::connect {

/// Opens one connection on first use: who needs no server starts nothing and looks for nothing.
///
/// @threads  safe to call concurrently.
class Connector {
 public:
  Connector(CloudOptions options, const Seams& seams);

  /// The same connection for everybody. @errors as Connection::Open; the next call tries again.
  Result<std::shared_ptr<Connection>> Connect(std::stop_token stop);

  /// Connect, as those take it who need to know no more; not to be called when this is gone.
  std::function<Result<std::shared_ptr<http::Transport>>(std::stop_token)> Connecting();

  /// How Cloud Storage is asked over it; not to be used when this is gone.
  gcs::ClientOptions Storage() const;

  const CloudOptions& options() const { return options_; }

 private:
  const CloudOptions options_;
  const Seams seams_;
  const std::unique_ptr<gcs::FileSessionStore> sessions_;
  std::mutex mutex_;
  std::shared_ptr<Connection> connection_;
};

}  // namespace kinetic::connect
