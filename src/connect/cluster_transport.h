#pragma once

#include "connect/connection.h"
#include "curl/transport.h"
#include "kube/auth/credential.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::connect {

struct ClusterTransportOptions {
  curl::Options network;  ///< CA, TLS server name, proxy
  std::unique_ptr<kube::CredentialSource> credentials;
  std::vector<std::pair<std::string, std::string>> headers;  ///< added to every request
  std::string user;  ///< for messages: "user ana of config:3:5"
  WallTime certificate_expiry = WallTime::max();
  /// Called when no connection could be made; may be empty.
  std::function<void()> on_unreachable;
};

/// A transport that adds a cluster's credential: a bearer token, password or client certificate. If
/// a server rejects it, the request is retried once with a new one.
///
/// @threads  safe to call concurrently.
class ClusterTransport final : public http::Transport {
 public:
  /// @param requests  receives traces of all requests; must outlive it; may be null.
  ClusterTransport(std::shared_ptr<curl::Engine> engine, ClusterTransportOptions options,
                   const Dependencies& deps, RequestSink* requests);

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

 private:
  struct Channel;

  std::shared_ptr<Channel> ChannelFor(const kube::Credential& credential);
  Result<http::Response> SendWith(const kube::Credential& credential, const http::Request& request,
                                  const http::Sink& sink, std::stop_token stop);
  Result<http::Response> ExplainExpiry(const kube::Credential& credential,
                                       Result<http::Response> response);

  std::shared_ptr<curl::Engine> engine_;
  ClusterTransportOptions options_;
  Clock* clock_;
  RequestLogger logger_;
  kube::CredentialCache credentials_;
  std::mutex mutex_;
  std::shared_ptr<Channel> channel_;  ///< with the certificate used last
};

/// Google access tokens as the credential of a cluster, as GKE's credential plugin returns them.
class GoogleCredentialSource final : public kube::CredentialSource {
 public:
  /// @param connect  opens the connection with the credential on first use.
  explicit GoogleCredentialSource(
      std::function<Result<std::shared_ptr<Connection>>(std::stop_token)> connect, Clock& clock)
      : connect_(std::move(connect)), clock_(&clock) {}

  Result<kube::Credential> Fetch(const kube::Credential* rejected, std::stop_token stop) override;

 private:
  std::function<Result<std::shared_ptr<Connection>>(std::stop_token)> connect_;
  Clock* clock_;
};

}  // namespace kinetic::connect
