#pragma once

#include "kinetic/cloud.h"
#include "kinetic/log.h"

#include "auth/authorized_transport.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "curl/transport.h"
#include "http/observer.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace kinetic::connect {

/// Tells a log and a caller of every request.
class Witness final : public http::RequestObserver {
 public:
  /// Both outlive it and may be null.
  Witness(LogSink* log, RequestSink* sink) : log_(log), sink_(sink) {}
  void OnRequest(const http::RequestRecord& record) override;
  bool WantsHeaders() const override { return log_ != nullptr; }

 private:
  LogSink* log_;
  RequestSink* sink_;
};

/// What a connection works with; all of it outlives the connection.
struct Seams {
  FileSystem& fs;
  Clock& clock;
  LogSink* log = nullptr;  ///< told of every request; may be null
  /// The key of a service account is proven to Google, which a request alone does not need.
  bool prove_keys = false;
  bool name_account = false;  ///< tokens also say whose they are, for a Kubernetes that asks
  /// A folder in which uploads that are under way are noted, so that one whose client was killed is
  /// gone on with: made when it is needed, for its owner alone. Empty: they begin anew.
  Path uploads = {};
};

/// A transport to Google's servers that shows the caller's credential, renewed for as long as
/// anybody asks, and reports what it does. With a storage emulator and no credential of its own it
/// shows none.
///
/// @threads  safe to call concurrently.
class Connection final : public http::Transport {
 public:
  /// Finds the credential; asks nobody for a token yet.
  ///
  /// @errors  those of auth::FindCredential · kFailedPrecondition (the CA file; a credential of
  ///          another universe without an endpoint there) · those of curl::StartEngine.
  static Result<std::shared_ptr<Connection>> Open(const CloudOptions& options, const Seams& seams,
                                                  std::stop_token stop);

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

  bool anonymous() const { return !tokens_; }
  /// Of a connection that is not anonymous.
  Result<auth::AccessToken> Token(std::stop_token stop) { return tokens_->Get(std::move(stop)); }
  /// A server refused this token; the next one is another.
  void Invalidate(const std::string& token) { tokens_->Invalidate(token); }
  auth::Identity GetIdentity() const { return tokens_->GetIdentity(); }
  /// For requests that show no credential, and say so themselves if need be.
  http::Transport& Plain() { return plain_; }

 private:
  Connection(const CloudOptions& options, const Seams& seams, std::shared_ptr<curl::Engine> engine,
             curl::Options network);
  Status Authorize(const CloudOptions& options, const Seams& seams, std::stop_token stop);

  curl::CurlTransport proxied_;
  curl::CurlTransport unproxied_;  ///< for the metadata server
  Witness witness_;
  http::ObservedTransport plain_;
  http::ObservedTransport direct_;
  std::optional<auth::TokenCache> tokens_;
  std::optional<auth::AuthorizedTransport> authorized_;
};

/// Whether requests show a credential that was only found, where the caller names none: to Google's
/// own hosts alone.
bool MayShowFoundCredential(const CloudOptions& options);

}  // namespace kinetic::connect
