#include "kinetic/try.h"

#include "base/time/clock.h"
#include "kube/client.h"

namespace kinetic::kube {
namespace {

http::Url LogUrl(const std::string& server, std::string_view name_space, std::string_view pod,
                 const LogQuery& query) {
  http::Url url = ObjectUrl(server, kPods, name_space, pod);
  url.Raw("/log");
  if (!query.container.empty()) url.Query("container", query.container);
  if (query.follow) url.Query("follow", "true");
  if (query.since_time) url.Query("sinceTime", FormatTime(*query.since_time));
  if (query.tail_lines) url.Query("tailLines", std::to_string(*query.tail_lines));
  return url;
}

/// Returns the reason in an error response about the container, or nullopt for other errors.
std::optional<LogEnd::Reason> EndReason(const StatusObject& status) {
  if (status.code == 404 && (status.kind == "pods" || MessageContains(status, "pods \""))) {
    return LogEnd::Reason::kNotFound;
  }
  if (status.code != 400) return std::nullopt;
  if (MessageContains(status, "is waiting to start") ||
      MessageContains(status, "does not have a host assigned") ||
      MessageContains(status, "image can't be pulled") ||
      MessageContains(status, "is not available")) {
    return LogEnd::Reason::kNotStarted;
  }
  return std::nullopt;
}

}  // namespace

Result<LogEnd> Client::ReadLog(std::string_view name_space, std::string_view pod,
                               const LogQuery& query, const http::Sink& sink,
                               std::stop_token stop) const {
  const Operation operation{"get", "reading", kPods, std::string(name_space), std::string(pod),
                            "log"};
  http::Request request =
      sender_.GetRequest(LogUrl(options_.server, name_space, pod, query).Text());
  request.headers.Set("Accept", "*/*");
  if (query.follow) request.stall_timeout = query.idle_timeout;
  LogEnd end;
  bool begun = false;
  std::optional<Error> refused;
  request.on_head = [&](const http::Response&) { begun = true; };
  const auto pass = [&](std::string_view piece) -> Status {
    end.bytes += piece.size();
    auto taken = sink(piece);
    if (!taken) refused = taken.error();
    return taken;
  };
  const auto response = sender_.SendOnce(request, pass, std::move(stop));
  if (refused) return Failure(*std::move(refused));
  if (!response) {
    Error error = response.error();
    if (!begun || error.code == ErrorCode::kCancelled) {
      return Failure(std::move(error).Context(operation.Text()));
    }
    end.reason = LogEnd::Reason::kInterrupted;
    end.message = std::move(error.message);
    return end;
  }
  if (response->status == 204) end.reason = LogEnd::Reason::kNotStarted;
  if (response->status / 100 == 2) return end;
  const StatusObject status = ParseStatus(response->status, response->body);
  const auto why = EndReason(status);
  if (!why) return Failure(ToError(operation, status));
  end.reason = *why;
  end.message = status.message;
  return end;
}

}  // namespace kinetic::kube
