#include "connect/cluster_transport.h"

#include "base/time/timestamp.h"
#include "base/try.h"

#include <algorithm>

namespace kinetic::connect {

namespace {

/// No connection was made, or it was to another server than the one that was meant.
bool NothingWasSent(const Error& error) {
  return error.code != ErrorCode::kCancelled &&
         std::ranges::any_of(error.details,
                             [](const auto& detail) { return detail.first == "sent"; });
}

}  // namespace

/// The connections that show one certificate, or none.
struct ClusterTransport::Way {
  Way(std::shared_ptr<curl::Engine> engine, curl::Options network, Witness& witness, Clock& clock)
      : certificate_pem(network.client_certificate_pem),
        curl(std::move(engine), std::move(network)),
        observed(curl, witness, clock) {}

  const std::string certificate_pem;
  curl::CurlTransport curl;
  http::ObservedTransport observed;
};

ClusterTransport::ClusterTransport(std::shared_ptr<curl::Engine> engine, ClusterRoute route,
                                   const Seams& seams, RequestSink* requests)
    : engine_(std::move(engine)),
      route_(std::move(route)),
      clock_(&seams.clock),
      witness_(seams.log, requests),
      credentials_(std::move(route_.credentials), seams.clock) {}

std::shared_ptr<ClusterTransport::Way> ClusterTransport::WayFor(
    const kube::Credential& credential) {
  const std::lock_guard lock(mutex_);
  if (way_ && way_->certificate_pem == credential.certificate_pem) return way_;
  curl::Options network = route_.network;
  network.client_certificate_pem = credential.certificate_pem;
  network.client_key_pem = credential.key_pem;
  way_ = std::make_shared<Way>(engine_, std::move(network), witness_, *clock_);
  return way_;
}

Result<http::Response> ClusterTransport::Show(const kube::Credential& credential,
                                              const http::Request& request, const http::Sink& sink,
                                              std::stop_token stop) {
  http::Request shown = request;
  for (const auto& [name, value] : route_.fields) shown.headers.Add(name, value);
  if (!credential.authorization.empty()) {
    shown.headers.Set("Authorization", credential.authorization);
  }
  const auto way = WayFor(credential);  // kept while it is used
  return way->observed.Stream(shown, sink, std::move(stop));
}

/// A certificate that has ended is refused in many ways, none of which says so.
Result<http::Response> ClusterTransport::Explained(const kube::Credential& shown,
                                                   Result<http::Response> response) {
  if (!response && route_.on_lost && NothingWasSent(response.error())) route_.on_lost();
  const bool refused =
      response ? response->status == 401 : response.error().code == ErrorCode::kFailedPrecondition;
  const bool ended = clock_->Now() >= route_.certificate_end;
  if (!refused || !ended || !shown.authorization.empty()) return response;
  return Fail(ErrorCode::kUnauthenticated,
              "the client certificate of " + route_.user + " ended at " +
                  FormatTime(route_.certificate_end) + ", and the cluster refuses it",
              "get a new kubeconfig from whoever gave it");
}

Result<http::Response> ClusterTransport::Stream(const http::Request& request,
                                                const http::Sink& sink, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const kube::Credential first, credentials_.Get(nullptr, stop));
  auto response = Explained(first, Show(first, request, sink, stop));
  if (!response || response->status != 401 || !credentials_.renewable()) return response;
  KINETIC_ASSIGN_OR_RETURN(const kube::Credential second, credentials_.Get(&first, stop));
  if (second.SameAs(first)) return response;
  return Explained(second, Show(second, request, sink, std::move(stop)));
}

}  // namespace kinetic::connect
