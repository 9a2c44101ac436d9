#include "gcs/sender.h"

#include "gcs/protocol.h"

namespace kinetic::gcs {

http::Request JsonRequest(std::string method, std::string url, const Value& body) {
  http::Request request;
  request.method = std::move(method);
  request.url = std::move(url);
  request.headers = {{"Content-Type", "application/json; charset=UTF-8"}};
  request.body = std::make_shared<http::BytesBody>(body.ToJson());
  return request;
}

Result<http::Response> Sender::Send(const http::Request& request, http::Idempotency idempotency,
                                    std::stop_token stop) const {
  http::Request timed = request;
  timed.stall_timeout = stall_timeout_;
  CloudStorageTransport transport(*transport_);
  const http::RetryingClient client(transport, &ErrorFromResponse, retry_, *clock_);
  return client.Send(timed, idempotency, std::move(stop));
}

Result<http::Response> Sender::SendOnce(http::Request request, std::stop_token stop) const {
  request.stall_timeout = stall_timeout_;
  return CloudStorageTransport(*transport_).Send(request, std::move(stop));
}

Result<http::Response> Sender::SendOnce(http::Request request, const http::Sink& sink,
                                        std::stop_token stop) const {
  request.stall_timeout = stall_timeout_;
  return CloudStorageTransport(*transport_).Stream(request, sink, std::move(stop));
}

}  // namespace kinetic::gcs
