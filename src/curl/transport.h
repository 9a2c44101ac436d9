#pragma once

#include "curl/options.h"
#include "http/transport.h"

#include <memory>

namespace kinetic::curl {

class Engine;

/// Starts the thread that transfers data for any number of transports, with one connection pool. It
/// stops with the last transport.
///
/// @errors  kFailedPrecondition when libcurl cannot be loaded.
Result<std::shared_ptr<Engine>> StartEngine();

/// The HTTP transport on libcurl. Bodies are read and sinks are called on the caller's thread while
/// the engine's thread transfers data, so a slow caller slows only its own transfer. A transfer
/// uses a few megabytes of memory. Safe to call concurrently.
class CurlTransport final : public http::Transport {
 public:
  CurlTransport(std::shared_ptr<Engine> engine, Options options);
  ~CurlTransport() override;

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

 private:
  std::shared_ptr<Engine> engine_;
  Options options_;
};

}  // namespace kinetic::curl
