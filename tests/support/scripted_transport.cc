#include "support/scripted_transport.h"

#include "kinetic/try.h"

#include <array>
#include <utility>

namespace kinetic::test {
namespace {

Result<std::string> ReadAll(const http::Request& request) {
  std::string all;
  if (!request.body) return all;
  KINETIC_RETURN_IF_ERROR(request.body->Rewind());
  std::array<char, 4096> buffer;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count, request.body->Read(buffer));
    if (count == 0) return all;
    all.append(buffer.data(), count);
  }
}

}  // namespace

ScriptedTransport& ScriptedTransport::Answer(int status, std::string body, http::Headers headers) {
  http::Response response;
  response.status = status;
  response.headers = std::move(headers);
  response.body = std::move(body);
  script_.push_back({std::move(response)});
  return *this;
}

ScriptedTransport& ScriptedTransport::Fail(Error error) {
  script_.push_back({Failure(std::move(error))});
  return *this;
}

ScriptedTransport& ScriptedTransport::Cut(std::string body, Error error) {
  Answer(200, std::move(body));
  script_.back().cut = std::move(error);
  return *this;
}

Result<http::Response> ScriptedTransport::Stream(const http::Request& request,
                                                 const http::Sink& sink, std::stop_token) {
  const std::lock_guard lock(mutex_);
  KINETIC_ASSIGN_OR_RETURN(std::string body, ReadAll(request));
  sent_.push_back({request.method, request.url, request.headers, std::move(body)});
  if (script_.empty()) {
    return kinetic::Fail(ErrorCode::kInternal,
                         "beyond the script: " + request.method + " " + request.url);
  }
  Step step = std::move(script_.front());
  script_.pop_front();
  Result<http::Response>& next = step.answer;
  if (next && next->status >= 200 && next->status < 300) {
    if (request.on_head) request.on_head(*next);
    const std::string piece = std::exchange(next->body, {});
    if (!piece.empty()) KINETIC_RETURN_IF_ERROR(sink(piece));
  }
  if (step.cut) return Failure(*std::move(step.cut));
  return std::move(next);
}

std::vector<ScriptedTransport::Sent> ScriptedTransport::sent() const {
  const std::lock_guard lock(mutex_);
  return sent_;
}

bool ScriptedTransport::Done() const {
  const std::lock_guard lock(mutex_);
  return script_.empty();
}

}  // namespace kinetic::test
