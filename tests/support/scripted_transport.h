#pragma once

#include "http/transport.h"

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::test {

/// A transport that gives prepared answers in order and keeps what it was sent. A request beyond
/// the script fails the test by an kInternal error that names it.
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
  /// An answer of 200 that breaks after `body`.
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
