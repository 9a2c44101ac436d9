#pragma once

#include "kinetic/value.h"

#include "http/retry.h"
#include "http/transport.h"

#include <chrono>
#include <stop_token>
#include <string>

namespace kinetic::gcs {

class SessionKeeper;

/// How to reach Cloud Storage. The transport shows the credential.
struct ClientOptions {
  std::string endpoint = "https://storage.googleapis.com";
  std::string user_project;  ///< billed for requests to buckets whose reader pays; may be empty
  http::RetryPolicy retry;
  /// The longest time in which no byte of a request moves; see http::Request.
  std::chrono::milliseconds stall_timeout{60'000};
  SessionKeeper* sessions = nullptr;  ///< outlives the client; null: uploads begin anew
};

/// A request whose body is a JSON document.
http::Request WithJson(std::string method, std::string url, const Value& body);

/// Sends the requests of a client with its patience, and again by its policy.
///
/// @threads  safe to call concurrently.
class Sender {
 public:
  /// Transport and clock outlive it.
  Sender(http::Transport& transport, Clock& clock, const ClientOptions& options)
      : transport_(&transport),
        clock_(&clock),
        retry_(options.retry),
        stall_timeout_(options.stall_timeout) {}

  /// Until there is a final answer, as http::RetryingClient does it.
  Result<http::Response> Send(const http::Request& request, http::Idempotency idempotency,
                              std::stop_token stop) const;
  /// Once. @param sink  of a 2xx answer's body; none: it is in Response::body.
  Result<http::Response> Once(http::Request request, std::stop_token stop) const;
  Result<http::Response> Once(http::Request request, const http::Sink& sink,
                              std::stop_token stop) const;

  /// For who decides himself what comes after a failure.
  http::Backoff NewBackoff() const { return {retry_, *clock_}; }

 private:
  http::Transport* transport_;
  Clock* clock_;
  http::RetryPolicy retry_;
  std::chrono::milliseconds stall_timeout_;
};

}  // namespace kinetic::gcs
