#include "base/random.h"
#include "base/strings.h"
#include "gcs/protocol.h"

#include <string_view>

namespace kinetic::gcs {
namespace {

constexpr std::string_view kIdPrefix = "response-call+";

/// Returns the text after `key` up to one of `ends`.
std::string_view After(std::string_view text, std::string_view key, std::string_view ends) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + key.size());
  return rest.substr(0, rest.find_first_of(ends));
}

std::string BoundaryOf(const http::Response& response) {
  const std::string type(response.headers.Get("content-type").value_or(""));
  const std::size_t at = ToLower(type).find("boundary=");
  if (at == std::string::npos) return {};
  std::string_view boundary = std::string_view(type).substr(at + 9);
  boundary = boundary.substr(0, boundary.find(';'));
  if (boundary.starts_with('"')) boundary = After(boundary, "\"", "\"");
  return std::string(Trim(boundary));
}

/// Reads a part: "Content-ID: <response-call+7>", an empty line, and a response.
void ReadPart(std::string_view part, std::vector<std::optional<http::Response>>& responses) {
  const auto number = ParseInt(After(part, kIdPrefix, ">\r\n"));
  const auto status = ParseInt(After(part, "HTTP/1.1 ", " \r\n"));
  const bool known =
      number && status && *number >= 0 && static_cast<std::size_t>(*number) < responses.size();
  if (!known) return;
  const std::size_t head = part.find("HTTP/1.1 ");
  std::size_t body = part.find("\r\n\r\n", head);
  body = body == std::string_view::npos ? part.find("\n\n", head) : body + 2;
  http::Response response;
  response.status = static_cast<int>(*status);
  if (body != std::string_view::npos) response.body = Trim(part.substr(body));
  responses[static_cast<std::size_t>(*number)] = std::move(response);
}

}  // namespace

http::Request BatchRequest(std::string url, const std::vector<http::Request>& calls) {
  const std::string boundary = "kinetic-" + RandomId();
  std::string body;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    body += "--" + boundary + "\r\nContent-Type: application/http\r\nContent-ID: <call+" +
            std::to_string(i) + ">\r\n\r\n" + calls[i].method + " " + calls[i].url +
            " HTTP/1.1\r\n\r\n\r\n";
  }
  body += "--" + boundary + "--\r\n";
  http::Request request;
  request.method = "POST";
  request.url = std::move(url);
  request.headers = {{"Content-Type", "multipart/mixed; boundary=\"" + boundary + "\""}};
  request.body = std::make_shared<http::BytesBody>(std::move(body));
  return request;
}

std::vector<std::optional<http::Response>> ParseBatchResponse(const http::Response& response,
                                                              std::size_t calls) {
  std::vector<std::optional<http::Response>> responses(calls);
  const std::string boundary = BoundaryOf(response);
  if (response.status != 200 || boundary.empty()) return responses;
  const std::string delimiter = "--" + boundary;
  std::string_view rest = response.body;
  for (std::size_t at = rest.find(delimiter); at != std::string_view::npos;) {
    rest.remove_prefix(at + delimiter.size());
    at = rest.find(delimiter);
    ReadPart(rest.substr(0, at), responses);
  }
  return responses;
}

}  // namespace kinetic::gcs
