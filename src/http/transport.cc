#include "http/transport.h"

#include "http/url.h"

namespace kinetic::http {

Result<Response> Transport::Send(const Request& request, std::stop_token stop,
                                 std::size_t limit_bytes) {
  std::string body;
  const auto collect = [&](std::string_view piece) -> Status {
    if (body.size() + piece.size() > limit_bytes) {
      return Fail(ErrorCode::kResourceExhausted,
                  request.method + " " + RedactedUrl(request.url).Text() +
                      ": the response is larger than " + std::to_string(limit_bytes) + " bytes");
    }
    body += piece;
    return {};
  };
  auto response = Stream(request, collect, std::move(stop));
  if (response && response->body.empty()) response->body = std::move(body);
  return response;
}

}  // namespace kinetic::http
