#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "http/retry.h"
#include "http/transport.h"
#include "kube/error.h"
#include "kube/options.h"

#include <functional>
#include <stop_token>
#include <string>

namespace kinetic::kube {

/// Sends requests with the user agent, timeout and retry policy of a client.
///
/// @threads  safe to call concurrently.
class RequestSender {
 public:
  /// Transport and clock must outlive it.
  RequestSender(http::Transport& transport, Clock& clock, const ClientOptions& options)
      : transport_(&transport),
        clock_(&clock),
        retry_(options.retry),
        stall_timeout_(options.stall_timeout),
        user_agent_(options.user_agent) {}

  http::Request GetRequest(std::string url) const;
  http::Request JsonRequest(std::string method, std::string url, const Value& body,
                            std::string_view type = "application/json") const;

  /// Sends a request and returns the first response that is not retryable, of any status. Failed
  /// connections, 429, 502, 503 and 504 are retried as the policy allows. 500 is retried a few
  /// times: most come from a webhook or an API server that is starting.
  ///
  /// @errors  those of the transport and of ToError, with the operation as context.
  Result<http::Response> Send(const Operation& operation, const http::Request& request,
                              http::Idempotency idempotency, std::stop_token stop) const;
  /// Sends a request without retries.
  Result<http::Response> SendOnce(const http::Request& request, std::stop_token stop) const;
  Result<http::Response> SendOnce(const http::Request& request, const http::Sink& sink,
                                  std::stop_token stop) const;

  http::Backoff NewBackoff() const { return {retry_, *clock_}; }
  Clock& clock() const { return *clock_; }

 private:
  http::Transport* transport_;
  Clock* clock_;
  http::RetryPolicy retry_;
  std::chrono::milliseconds stall_timeout_;
  std::string user_agent_;
};

/// Returns the delay that a server requests, from Retry-After or its Status object.
std::optional<std::chrono::milliseconds> RetryDelay(const http::Response& response);

/// Parses the object in a successful response. @errors kDataLoss: it has none.
Result<Value> ParseObject(const Operation& operation, const http::Response& response);

struct PagedList {
  const Operation& operation;
  http::Url url;  ///< of the collection
  ListOptions query;
  /// Requests a page. Returns responses of any status.
  std::function<Result<http::Response>(const std::string& url)> fetch;
  std::function<Status(const Value& item)> each;
  /// Called before the list is read again from the start, because its continue token expired.
  std::function<void()> on_restart;
};

/// Reads all pages of a list and returns its resourceVersion.
///
/// @errors  those of `fetch`, of `each` and of ToError · kDataLoss (a response that is not a list).
Result<std::string> ReadPages(const PagedList& listing);

void AddSelectors(http::Url& url, const ListOptions& query);

}  // namespace kinetic::kube
