#include "connect/cluster_transport.h"

#include "kinetic/try.h"

#include "base/time/clock.h"

#include <algorithm>

namespace kinetic::connect {

namespace {

/// Returns whether no connection to the intended server was made.
bool WasNotSent(const Error& error) {
  return error.code != ErrorCode::kCancelled &&
         std::ranges::any_of(error.details,
                             [](const auto& detail) { return detail.first == "sent"; });
}

}  // namespace

/// The connections with one client certificate, or none.
struct ClusterTransport::Channel {
  Channel(std::shared_ptr<curl::Engine> engine, curl::Options network, RequestLogger& logger,
          Clock& clock)
      : certificate_pem(network.client_certificate_pem),
        curl(std::move(engine), std::move(network)),
        observed(curl, logger, clock) {}

  const std::string certificate_pem;
  curl::CurlTransport curl;
  http::ObservedTransport observed;
};

ClusterTransport::ClusterTransport(std::shared_ptr<curl::Engine> engine,
                                   ClusterTransportOptions options, const Dependencies& deps,
                                   RequestSink* requests)
    : engine_(std::move(engine)),
      options_(std::move(options)),
      clock_(&deps.clock),
      logger_(deps.log, requests),
      credentials_(std::move(options_.credentials), deps.clock) {}

std::shared_ptr<ClusterTransport::Channel> ClusterTransport::ChannelFor(
    const kube::Credential& credential) {
  const std::lock_guard lock(mutex_);
  if (channel_ && channel_->certificate_pem == credential.certificate_pem) return channel_;
  curl::Options network = options_.network;
  network.client_certificate_pem = credential.certificate_pem;
  network.client_key_pem = credential.key_pem;
  channel_ = std::make_shared<Channel>(engine_, std::move(network), logger_, *clock_);
  return channel_;
}

Result<http::Response> ClusterTransport::SendWith(const kube::Credential& credential,
                                                  const http::Request& request,
                                                  const http::Sink& sink, std::stop_token stop) {
  http::Request authorized = request;
  for (const auto& [name, value] : options_.headers) authorized.headers.Add(name, value);
  if (!credential.authorization.empty()) {
    authorized.headers.Set("Authorization", credential.authorization);
  }
  const auto channel = ChannelFor(credential);  // kept while it is used
  return channel->observed.Stream(authorized, sink, std::move(stop));
}

/// Explains the rejection of an expired certificate, which servers report in many unclear ways.
Result<http::Response> ClusterTransport::ExplainExpiry(const kube::Credential& credential,
                                                       Result<http::Response> response) {
  if (!response && options_.on_unreachable && WasNotSent(response.error()))
    options_.on_unreachable();
  const bool refused =
      response ? response->status == 401 : response.error().code == ErrorCode::kFailedPrecondition;
  const bool ended = clock_->Now() >= options_.certificate_expiry;
  if (!refused || !ended || !credential.authorization.empty()) return response;
  return Fail(ErrorCode::kUnauthenticated,
              "the client certificate of " + options_.user + " expired at " +
                  FormatTime(options_.certificate_expiry) + ", and the cluster rejects it",
              "get a new kubeconfig from the cluster's administrator");
}

Result<http::Response> ClusterTransport::Stream(const http::Request& request,
                                                const http::Sink& sink, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const kube::Credential first, credentials_.Get(nullptr, stop));
  auto response = ExplainExpiry(first, SendWith(first, request, sink, stop));
  if (!response || response->status != 401 || !credentials_.renewable()) return response;
  KINETIC_ASSIGN_OR_RETURN(const kube::Credential second, credentials_.Get(&first, stop));
  if (second.SameAs(first)) return response;
  return ExplainExpiry(second, SendWith(second, request, sink, std::move(stop)));
}

}  // namespace kinetic::connect
