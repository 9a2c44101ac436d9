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

/// What a transport to one cluster is made of.
struct ClusterRoute {
  curl::Options network;  ///< its authority, its name in TLS, its proxy
  std::unique_ptr<kube::CredentialSource> credentials;
  /// Sent with each request, beside the credential.
  std::vector<std::pair<std::string, std::string>> fields;
  /// Whose certificate ends when, to be said when it is refused: "user ana of config:3:5".
  std::string user;
  WallTime certificate_end = WallTime::max();
  /// Called when the server cannot be had at its address; may be empty.
  std::function<void()> on_lost;
};

/// A transport that shows a cluster's credential, a bearer token, a password or a client
/// certificate, and another one when the server refuses the first.
///
/// @threads  safe to call concurrently.
class ClusterTransport final : public http::Transport {
 public:
  /// @param requests  told of every request; outlives it; may be null.
  ClusterTransport(std::shared_ptr<curl::Engine> engine, ClusterRoute route, const Seams& seams,
                   RequestSink* requests);

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

 private:
  struct Way;

  std::shared_ptr<Way> WayFor(const kube::Credential& credential);
  Result<http::Response> Show(const kube::Credential& credential, const http::Request& request,
                              const http::Sink& sink, std::stop_token stop);
  Result<http::Response> Explained(const kube::Credential& shown, Result<http::Response> response);

  std::shared_ptr<curl::Engine> engine_;
  ClusterRoute route_;
  Clock* clock_;
  Witness witness_;
  kube::CredentialCache credentials_;
  std::mutex mutex_;
  std::shared_ptr<Way> way_;  ///< with the certificate that was shown last
};

/// Google's access token as the credential of a cluster: what the plugin of GKE would give.
class GoogleCredential final : public kube::CredentialSource {
 public:
  /// @param connect  opens the connection that has the credential, when it is first needed.
  explicit GoogleCredential(
      std::function<Result<std::shared_ptr<Connection>>(std::stop_token)> connect, Clock& clock)
      : connect_(std::move(connect)), clock_(&clock) {}

  Result<kube::Credential> Fetch(const kube::Credential* refused, std::stop_token stop) override;

 private:
  std::function<Result<std::shared_ptr<Connection>>(std::stop_token)> connect_;
  Clock* clock_;
};

}  // namespace kinetic::connect
