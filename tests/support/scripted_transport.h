#pragma once

#include "http/transport.h"

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::test {

/// A transport that returns prepared responses in order and records requests. A request beyond the
/// script returns a kInternal error that describes it.
class ScriptedTransport final : public http::Transport {
 public:
  struct Sent {
    std::string method;
    std::string url;
    http::Headers headers;
    std::string body;
  };

  ScriptedTransport& Answer(int status, std::string body = {}, http::Headers headers = {});
  ScriptedTransport& Fail(Error error);
  /// Returns a 200 response that fails after `body`.
  ScriptedTransport& Cut(std::string body, Error error);

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

  std::vector<Sent> sent() const;
  bool Done() const;

 private:
  struct Step {
    Result<http::Response> answer;
    std::optional<Error> cut = {};
  };

  mutable std::mutex mutex_;
  std::deque<Step> script_;
  std::vector<Sent> sent_;
};

}  // namespace kinetic::test
