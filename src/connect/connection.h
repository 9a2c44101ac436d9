#pragma once

#include "kinetic/cloud.h"
#include "kinetic/log.h"

#include "auth/authorized_transport.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "curl/transport.h"
#include "http/observer.h"
#include "http/retry.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace kinetic::connect {

/// Reports every request to a log and to a sink, and that a server has responded to a retry limit.
class RequestLogger final : public http::RequestObserver {
 public:
  /// @param log, sink  must outlive it; may be null.
  /// @param limit      may be null.
  RequestLogger(LogSink* log, RequestSink* sink, std::shared_ptr<http::RetryLimit> limit = nullptr)
      : log_(log), sink_(sink), limit_(std::move(limit)) {}
  void OnRequest(const http::RequestRecord& record) override;
  bool WantsHeaders() const override { return log_ != nullptr; }

 private:
  LogSink* log_;
  RequestSink* sink_;
  std::shared_ptr<http::RetryLimit> limit_;
};

/// What connections depend on, and how they authenticate. Everything must outlive them.
struct Dependencies {
  FileSystem& fs;
  Clock& clock;
  LogSink* log = nullptr;  ///< receives a line for every request; may be null
  /// As auth::CredentialPolicy::exchange_assertions.
  bool exchange_assertions = false;
  bool email_scope = false;  ///< as auth::CredentialPolicy::email_scope
  /// Learns of the first response; may be null.
  std::shared_ptr<http::RetryLimit> retry_limit = {};
  /// A folder for sessions of unfinished uploads, which a later process resumes. Created when
  /// needed and readable by its owner only. Empty: uploads are not resumed.
  Path uploads = {};
};

/// A transport to Google's servers that adds and refreshes the caller's credential and reports
/// requests. Requests to a storage emulator have no credential unless the options name one.
///
/// @threads  safe to call concurrently.
class Connection final : public http::Transport {
 public:
  /// Finds the credential. Does not request a token yet.
  ///
  /// @errors  those of auth::FindCredential · kFailedPrecondition (the CA file; a credential of
  ///          another universe without an endpoint in it) · those of curl::StartEngine.
  static Result<std::shared_ptr<Connection>> Open(const CloudOptions& options,
                                                  const Dependencies& deps, std::stop_token stop);

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

  bool anonymous() const { return !tokens_; }
  /// @errors  kUnauthenticated: the connection is anonymous · those of auth::TokenSource.
  Result<auth::AccessToken> Token(std::stop_token stop);
  /// Discards a token that a server rejected.
  void Invalidate(const std::string& token);
  /// Must not be called on an anonymous connection.
  auth::Identity GetIdentity() const { return tokens_->GetIdentity(); }
  /// Returns the transport without a credential.
  http::Transport& Plain() { return plain_; }

 private:
  Connection(const CloudOptions& options, const Dependencies& deps,
             std::shared_ptr<curl::Engine> engine, curl::Options network);
  Result<http::Response> StreamReported(const http::Request& request, const http::Sink& sink,
                                        std::stop_token stop);
  Status Authorize(const CloudOptions& options, const Dependencies& deps, std::stop_token stop);

  WaitSink* waits_;
  curl::CurlTransport proxied_;
  curl::CurlTransport unproxied_;  ///< for the metadata server
  RequestLogger logger_;
  http::ObservedTransport plain_;
  http::ObservedTransport direct_;
  std::optional<auth::TokenCache> tokens_;
  std::optional<auth::AuthorizedTransport> authorized_;
};

/// Returns whether requests may use an application default credential: if the options name no
/// credential, only requests to Google's hosts do.
bool AllowsFoundCredential(const CloudOptions& options);

}  // namespace kinetic::connect
