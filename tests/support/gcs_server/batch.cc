#include "base/strings.h"
#include "support/gcs_server/errors.h"
#include "support/gcs_server/handlers.h"
#include "support/gcs_server/multipart.h"

#include <fmt/format.h>

namespace kinetic::gcs_server {
namespace {

constexpr std::size_t kCalls = 100;
constexpr std::size_t kBatchBytes = 10U << 20;
constexpr std::string_view kBoundary = "batch_kinetic_stand_in";

struct InnerCall {
  std::string content_id;
  Request request;
  std::string body;
};

bool IsMedia(const Request& request) {
  return request.segments.front() == "upload" || request.segments.front() == "download" ||
         request.segments.front() == "batch" || request.Query("alt") == "media";
}

/// Returns the response id of "<id+1>": "<response-id+1>".
std::string ResponseId(const std::string& id) {
  return id.starts_with('<') ? "<response-" + id.substr(1) : "response-" + id;
}

/// Returns the ends of head and body; lines may end without a carriage return.
std::pair<std::size_t, std::size_t> EndOfHead(std::string_view text) {
  const std::size_t strict = text.find("\r\n\r\n");
  const std::size_t lax = text.find("\n\n");
  if (strict < lax) return {strict, strict + 4};
  if (lax != std::string_view::npos) return {lax, lax + 2};
  return {text.size(), text.size()};
}

Outcome<InnerCall> ReadInner(MultipartReader& parts, const http::Headers& part,
                             const Request& outer) {
  const auto text = ReadAll(parts, kBatchBytes);
  if (!text) return Refuse(Invalid("A batch must be smaller than 10 MB."));
  if (!ToLower(part.Get("Content-Type").value_or("")).starts_with("application/http")) {
    return Refuse(Invalid("A part of a batch must be of type application/http."));
  }
  // A request without a body may end with its headers.
  const auto [blank, body] = EndOfHead(*text);
  auto request = ParseRequest(text->substr(0, blank));
  if (!request) return Refuse(Invalid("A part of the batch is no HTTP request."));
  if (IsMedia(*request)) return Refuse(Invalid("Media cannot be moved in a batch."));
  for (const char* name : {"Authorization", "Host"}) {
    const auto value = outer.headers.Get(name);
    if (value && !request->headers.Get(name)) request->headers.Add(name, std::string(*value));
  }
  return InnerCall{std::string(part.Get("Content-ID").value_or("")), *std::move(request),
                   text->substr(body)};
}

Outcome<std::vector<InnerCall>> ReadCalls(Call& call) {
  const auto boundary = BoundaryOf(call.request.Header("Content-Type"));
  if (!boundary) return Refuse(Invalid("Failed to parse batch request: no boundary."));
  MultipartReader parts(call.body, *boundary);
  std::vector<InnerCall> calls;
  while (const auto part = parts.NextPart()) {
    auto inner = ReadInner(parts, *part, call.request);
    if (!inner) return Refuse(inner.error());
    calls.push_back(*std::move(inner));
    if (calls.size() > kCalls) {
      return Refuse(Invalid("The batch request could not be processed: more than 100 calls."));
    }
  }
  if (calls.empty()) return Refuse(Invalid("Failed to parse batch request: no calls."));
  return calls;
}

std::string PartText(const InnerCall& inner, const Reply& reply) {
  std::string text = fmt::format("--{}\r\nContent-Type: application/http\r\n", kBoundary);
  if (!inner.content_id.empty()) {
    text += fmt::format("Content-ID: {}\r\n", ResponseId(inner.content_id));
  }
  text += fmt::format("\r\nHTTP/1.1 {} {}\r\n", reply.status, ReasonPhrase(reply.status));
  for (const auto& [name, value] : reply.headers) text += fmt::format("{}: {}\r\n", name, value);
  return text + fmt::format("Content-Length: {}\r\n\r\n{}\r\n", reply.body.size(), reply.body);
}

}  // namespace

Reply Batch(Call& call) {
  const auto calls = ReadCalls(call);
  if (!calls) return calls.error();
  Reply reply;
  reply.headers.Add("Content-Type", fmt::format("multipart/mixed; boundary={}", kBoundary));
  for (const InnerCall& inner : *calls) {
    StringBody body(inner.body);
    reply.body += PartText(inner, Handle(call.state, inner.request, body));
  }
  reply.body += fmt::format("--{}--\r\n", kBoundary);
  return reply;
}

}  // namespace kinetic::gcs_server
