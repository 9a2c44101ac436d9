#pragma once

#include "http/transport.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace kinetic::curl {

enum class HttpVersion : std::uint8_t { kAuto, kOne, kTwo };

/// How to reach servers: what is the same for every request of a transport.
struct Options {
  HttpVersion http_version = HttpVersion::kAuto;
  std::string proxy;     ///< "http://user:password@host:3128", socks5://…; empty: none
  std::string no_proxy;  ///< hosts reached directly, as in the variable of that name
  std::string ca_pem;    ///< the only certificates trusted; empty: the system's
  std::string client_certificate_pem;  ///< with its chain; empty: none
  std::string client_key_pem;
  /// The name that servers prove and are asked for in TLS; empty: the one in the address.
  std::string tls_server_name;
  bool compressed = false;  ///< answers may come packed by gzip, and are unpacked on their way
  /// The first requests to a server over TLS wait for one connection, instead of opening one each:
  /// all use it if the server speaks HTTP/2. If it does not, they have waited for nothing.
  bool share_connection = false;
  bool verify_tls = true;  ///< false only where a profile says so by name
  std::string user_agent = "kinetic";
  /// The other end acknowledges nothing for so long, or takes nothing of what waits for it: the
  /// connection ends, for all requests that share it.
  std::chrono::seconds silence{60};
};

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
