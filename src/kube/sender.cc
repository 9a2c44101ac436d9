#include "kube/sender.h"

#include "kinetic/try.h"

#include "http/last_cause.h"

namespace kinetic::kube {
namespace {

constexpr int kAttemptsAtInternalErrors = 3;

bool IsTransient(const http::Response& response, http::Idempotency idempotency,
                 int& internal_errors) {
  // A rate-limited request has not been executed.
  if (response.status == 429) return true;
  if (!http::IsRetryable(response)) return false;
  if (idempotency == http::Idempotency::kNonIdempotent) return false;
  return response.status != 500 || ++internal_errors < kAttemptsAtInternalErrors;
}

}  // namespace

std::optional<std::chrono::milliseconds> RetryDelay(const http::Response& response) {
  if (const auto asked = http::RetryAfter(response)) return asked;
  if (response.status != 429 && response.status < 500) return std::nullopt;
  return ParseStatus(response.status, response.body).retry_after;
}

http::Request RequestSender::GetRequest(std::string url) const {
  http::Request request;
  request.url = std::move(url);
  request.headers = {{"Accept", "application/json"}, {"User-Agent", user_agent_}};
  request.stall_timeout = stall_timeout_;
  return request;
}

http::Request RequestSender::JsonRequest(std::string method, std::string url, const Value& body,
                                         std::string_view type) const {
  http::Request request = GetRequest(std::move(url));
  request.method = std::move(method);
  request.headers.Add("Content-Type", std::string(type));
  request.body = std::make_shared<http::BytesBody>(body.ToJson());
  return request;
}

Result<http::Response> RequestSender::Send(const Operation& operation, const http::Request& request,
                                           http::Idempotency idempotency,
                                           std::stop_token stop) const {
  http::Backoff backoff = NewBackoff();
  int internal_errors = 0;
  std::string last_cause;
  for (;;) {
    auto response = transport_->Send(request, stop);
    if (!response) {
      const bool final = !http::IsRetryable(response.error(), idempotency);
      Error error = std::move(response).error().Context(operation.Text());
      if (final) return Failure(http::WithLastCause(std::move(error), last_cause));
      last_cause = error.message;
      KINETIC_RETURN_IF_ERROR(backoff.Wait(error, std::nullopt, stop));
      continue;
    }
    if (!IsTransient(*response, idempotency, internal_errors)) return response;
    KINETIC_RETURN_IF_ERROR(
        backoff.Wait(ToError(operation, *response), RetryDelay(*response), stop));
  }
}

Result<http::Response> RequestSender::SendOnce(const http::Request& request,
                                               std::stop_token stop) const {
  return transport_->Send(request, std::move(stop));
}

Result<http::Response> RequestSender::SendOnce(const http::Request& request, const http::Sink& sink,
                                               std::stop_token stop) const {
  return transport_->Stream(request, sink, std::move(stop));
}

}  // namespace kinetic::kube
