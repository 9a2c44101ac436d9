#pragma once

#include "connect/connection.h"
#include "gcs/client.h"
#include "gcs/upload/sessions.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

namespace kinetic::connect {

/// Passes retries on to a WaitSink from the second failed attempt on, or from the first if the next
/// one is not imminent.
class RetryReporter final : public http::RetryObserver {
 public:
  /// `waits` outlives it; may be null.
  explicit RetryReporter(WaitSink* waits) : waits_(waits) {}
  void OnRetry(const http::RetryNotice& notice) override;

 private:
  WaitSink* waits_;
};

/// Opens a connection on first use.
///
/// @threads  safe to call concurrently.
class LazyConnection {
 public:
  LazyConnection(CloudOptions options, const Dependencies& deps);

  /// Returns the connection, which all callers share. Retries after an error.
  ///
  /// @errors  those of Connection::Open.
  Result<std::shared_ptr<Connection>> Connect(std::stop_token stop);

  /// Returns Connect as a function. It must not outlive this object.
  std::function<Result<std::shared_ptr<http::Transport>>(std::stop_token)> Opener();

  /// Returns options for a Cloud Storage client. They must not outlive this object.
  gcs::ClientOptions GcsOptions() const;

  /// Limits retries of failing Cloud Storage requests from now on, because the caller has its own.
  void LimitRetries(std::chrono::milliseconds limit) { deps_.retry_limit->Set(limit); }

  const CloudOptions& options() const { return options_; }

 private:
  const CloudOptions options_;
  const Dependencies deps_;
  const std::unique_ptr<gcs::FileSessionStore> sessions_;
  const std::unique_ptr<RetryReporter> retries_;
  std::mutex mutex_;
  std::shared_ptr<Connection> connection_;
};

}  // namespace kinetic::connect
