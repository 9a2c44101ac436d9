#pragma once

#include "http/transport.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace kinetic::curl {

enum class HttpVersion : std::uint8_t { kAuto, kHttp1, kHttp2 };

/// Connection settings for all requests of a transport.
struct Options {
  HttpVersion http_version = HttpVersion::kAuto;
  std::string proxy;     ///< "http://user:password@host:3128", "socks5://…"; may be empty
  std::string no_proxy;  ///< as the environment variable of that name
  std::string ca_pem;    ///< the only trusted certificates; empty: the system's
  std::string client_certificate_pem;  ///< with its chain; may be empty
  std::string client_key_pem;
  std::string tls_server_name;  ///< for SNI and verification; empty: the host of the URL
  bool compressed = false;      ///< accept gzip and decompress responses
  /// Wait for the first TLS connection to a server before opening others, so that all requests
  /// share it if it uses HTTP/2.
  bool share_connection = false;
  bool verify_tls = true;
  std::string user_agent = "kinetic";
  /// Closes a connection whose peer acknowledges no data for this time.
  std::chrono::seconds peer_timeout{60};
};

class Engine;

/// Starts the thread that transfers data for any number of transports, with one connection pool. It
/// stops with the last transport.
///
/// @errors  kFailedPrecondition: libcurl cannot be loaded · kResourceExhausted.
Result<std::shared_ptr<Engine>> StartEngine();

/// The HTTP transport on libcurl. Bodies are read and sinks are called on the caller's thread while
/// the engine's thread transfers data, so a slow caller slows only its own transfer. A transfer
/// uses a few megabytes of memory.
///
/// @threads  safe to call concurrently.
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
