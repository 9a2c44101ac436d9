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

/// Sends the requests of a client with its name and patience, and again by its policy.
///
/// @threads  safe to call concurrently.
class Sender {
 public:
  /// Transport and clock outlive it.
  Sender(http::Transport& transport, Clock& clock, const ClientOptions& options)
      : transport_(&transport),
        clock_(&clock),
        retry_(options.retry),
        stall_timeout_(options.stall_timeout),
        user_agent_(options.user_agent) {}

  http::Request Read(std::string url) const;
  /// With a JSON document as its body.
  http::Request Write(std::string method, std::string url, const Value& body,
                      std::string_view type = "application/json") const;

  /// Until there is a final answer, which may be any status that does not pass: connections that
  /// fail, 429, 502, 503 and 504 are tried again as long as the policy allows, 500 a few times, as
  /// most of them come from a webhook or an API server that is starting.
  ///
  /// @errors  those of the transport and of ErrorOf, with what was being done.
  Result<http::Response> Send(const Operation& operation, const http::Request& request,
                              http::Idempotency idempotency, std::stop_token stop) const;
  /// Once, whatever comes.
  Result<http::Response> Once(const http::Request& request, std::stop_token stop) const;
  Result<http::Response> Once(const http::Request& request, const http::Sink& sink,
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

/// What a server asks for before the next attempt: Retry-After, or the same in its Status object.
std::optional<std::chrono::milliseconds> PauseIn(const http::Response& response);

/// The object in an answer of 2xx.
///
/// @errors  kDataLoss: there is none.
Result<Value> ObjectIn(const Operation& operation, const http::Response& response);

/// A listing that is read page by page.
struct Listing {
  const Operation& operation;
  http::Url url;  ///< of the collection
  Query query;
  /// Asks for a page; any status is an answer.
  std::function<Result<http::Response>(const std::string& url)> ask;
  std::function<Status(const Value& item)> each;
  /// The pages so far are of a list that the server has forgotten: it begins anew.
  std::function<void()> on_restart;
};

/// @returns  the resourceVersion of the list. @errors those of `ask`, of `each` and of ErrorOf ·
///           kDataLoss (an answer that is no list).
Result<std::string> ReadPages(const Listing& listing);

/// Adds the selectors to an address.
void AddSelectors(http::Url& url, const Query& query);

}  // namespace kinetic::kube
