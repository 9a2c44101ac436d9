#pragma once

#include "curl/options.h"
#include "http/transport.h"

#include <memory>

namespace kinetic::curl {

class Engine;

/// The thread that moves bytes for any number of transports, with one pool of connections. It ends
/// with the last transport.
///
/// @errors  kFailedPrecondition when libcurl cannot be loaded.
Result<std::shared_ptr<Engine>> StartEngine();

/// Transport on libcurl. Bodies are read and sinks are called on the caller's thread, while another
/// moves the bytes: hashing and disk go on beside the network, and a slow caller slows its own
/// transfer only. A transfer holds a few megabytes at most, whatever it carries.
///
/// @threads  safe to call concurrently; a call must have returned before the transport goes.
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
