#include "connect/connection.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "connect/cloud_options.h"
#include "http/url.h"

#include <utility>

namespace kinetic::connect {
namespace {

constexpr std::string_view kGoogle = "googleapis.com";

curl::Options WithoutProxy(curl::Options network) {
  network.proxy.clear();
  return network;
}

bool NamesCredential(const CloudOptions& options) {
  return !options.access_token.empty() || !options.token_file.empty() ||
         !options.credential_file.empty();
}

Status CheckUniverse(const CloudOptions& options, const auth::Identity& who) {
  if (who.universe_domain == kGoogle || !options.storage_endpoint.empty()) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              who.origin + " is a credential for the universe " + Printable(who.universe_domain) +
                  ", but the storage endpoint is googleapis.com",
              "set the storage endpoint to https://storage." + Printable(who.universe_domain));
}

}  // namespace

bool AllowsFoundCredential(const CloudOptions& options) {
  if (options.storage_endpoint.empty() || NamesCredential(options)) return true;
  return http::IsGoogleApi(options.storage_endpoint);
}

Connection::Connection(const CloudOptions& options, const Dependencies& deps,
                       std::shared_ptr<curl::Engine> engine, curl::Options network)
    : waits_(options.waits),
      proxied_(engine, network),
      unproxied_(std::move(engine), WithoutProxy(std::move(network))),
      logger_(deps.log, options.requests, deps.retry_limit),
      plain_(proxied_, logger_, deps.clock),
      direct_(unproxied_, logger_, deps.clock) {}

Result<std::shared_ptr<Connection>> Connection::Open(const CloudOptions& options,
                                                     const Dependencies& deps,
                                                     std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(curl::Options network, ToCurlOptions(options, deps.fs));
  KINETIC_ASSIGN_OR_RETURN(auto engine, curl::StartEngine());
  std::shared_ptr<Connection> connection(
      new Connection(options, deps, std::move(engine), std::move(network)));
  if (AllowsFoundCredential(options)) {
    KINETIC_RETURN_IF_ERROR(connection->Authorize(options, deps, std::move(stop)));
  }
  return connection;
}

Status Connection::Authorize(const CloudOptions& options, const Dependencies& deps,
                             std::stop_token stop) {
  auth::CredentialContext context;
  context.network.transport = &plain_;
  context.network.clock = &deps.clock;
  context.fs = &deps.fs;
  context.policy = {.executables = options.allow_programs,
                    .loopback = options.allow_loopback,
                    .exchange_assertions = deps.exchange_assertions,
                    .email_scope = deps.email_scope,
                    .environment = options.environment,
                    .search_path = options.search_path};
  KINETIC_ASSIGN_OR_RETURN(FoundCredential found,
                           FindCredential(options, context, direct_, std::move(stop)));
  KINETIC_RETURN_IF_ERROR(CheckUniverse(options, found.identity));
  const std::string& quota =
      options.quota_project.empty() ? found.identity.quota_project : options.quota_project;
  tokens_.emplace(std::move(found.source), deps.clock);
  authorized_.emplace(plain_, *tokens_, options.storage_endpoint, quota);
  return {};
}

Result<auth::AccessToken> Connection::Token(std::stop_token stop) {
  if (tokens_) return tokens_->Get(std::move(stop));
  return Fail(ErrorCode::kUnauthenticated,
              "no Google Cloud credential was looked for, because storage_endpoint is a plain HTTP "
              "address",
              "set one with KINETIC_ACCESS_TOKEN, or unset storage_endpoint");
}

void Connection::Invalidate(const std::string& token) {
  if (tokens_) tokens_->Invalidate(token);
}

Result<http::Response> Connection::Stream(const http::Request& request, const http::Sink& sink,
                                          std::stop_token stop) {
  if (waits_ == nullptr) return StreamReported(request, sink, std::move(stop));
  http::Request reported = request;
  const auto parts = http::ParseUrl(request.url);
  reported.on_silence = [waits = waits_, host = parts ? parts->host : "the server"](
                            std::chrono::milliseconds silent) {
    waits->OnWait("waiting for " + host, silent);
  };
  return StreamReported(reported, sink, std::move(stop));
}

Result<http::Response> Connection::StreamReported(const http::Request& request,
                                                  const http::Sink& sink, std::stop_token stop) {
  if (authorized_) return authorized_->Stream(request, sink, std::move(stop));
  return plain_.Stream(request, sink, std::move(stop));
}

}  // namespace kinetic::connect
