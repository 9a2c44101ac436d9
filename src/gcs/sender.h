#pragma once

#include "kinetic/value.h"

#include "http/retry.h"
#include "http/transport.h"

#include <chrono>
#include <stop_token>
#include <string>

namespace kinetic::gcs {

class SessionStore;

struct ClientOptions {
  std::string endpoint = "https://storage.googleapis.com";
  std::string user_project;  ///< billed for requests to requester-pays buckets; may be empty
  http::RetryPolicy retry{.service = "Cloud Storage"};
  std::chrono::milliseconds stall_timeout{30'000};  ///< see http::Request
  /// Outlives the client. Null: uploads cannot be resumed by another process.
  SessionStore* sessions = nullptr;
};

http::Request JsonRequest(std::string method, std::string url, const Value& body);

/// Sends requests with the client's timeouts and retry policy.
///
/// @threads  safe to call concurrently.
class Sender {
 public:
  /// `transport` and `clock` must outlive this object.
  Sender(http::Transport& transport, Clock& clock, const ClientOptions& options)
      : transport_(&transport),
        clock_(&clock),
        endpoint_(options.endpoint),
        retry_(options.retry),
        stall_timeout_(options.stall_timeout) {}

  /// Sends with retries, like http::RetryingClient.
  Result<http::Response> Send(const http::Request& request, http::Idempotency idempotency,
                              std::stop_token stop) const;
  /// Sends without retries. `sink` receives the body of a 2xx response; without it, the body is in
  /// Response::body.
  Result<http::Response> SendOnce(http::Request request, std::stop_token stop) const;
  Result<http::Response> SendOnce(http::Request request, const http::Sink& sink,
                                  std::stop_token stop) const;

  /// The endpoint that requests and credentials are for.
  const std::string& endpoint() const { return endpoint_; }
  http::Backoff NewBackoff() const { return {retry_, *clock_}; }

 private:
  http::Transport* transport_;
  Clock* clock_;
  std::string endpoint_;
  http::RetryPolicy retry_;
  std::chrono::milliseconds stall_timeout_;
};

}  // namespace kinetic::gcs
