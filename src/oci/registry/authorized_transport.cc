#include "oci/registry/authorized_transport.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "http/url.h"

#include <algorithm>
#include <utility>

namespace kinetic::oci {
namespace {

/// Renewing a token ahead of its expiry avoids sending a request body in vain.
constexpr std::chrono::seconds kRenewalMargin{10};

/// Returns whether a scope includes another: "repository:a:pull,push" includes
/// "repository:a:pull".
bool Includes(const std::string& scope, const std::string& other) {
  const std::size_t end = scope.rfind(':');
  const std::size_t other_end = other.rfind(':');
  if (end == std::string::npos || scope.substr(0, end) != other.substr(0, other_end)) return false;
  const auto rights = Split(std::string_view(scope).substr(end + 1), ',');
  const auto wanted = Split(std::string_view(other).substr(other_end + 1), ',');
  return std::ranges::all_of(
      wanted, [&](auto right) { return std::ranges::find(rights, right) != rights.end(); });
}

}  // namespace

Result<http::Response> AuthorizedTransport::Stream(const http::Request& request,
                                                   const http::Sink& sink, std::stop_token stop) {
  if (!http::IsSameOrigin(request.url, access_.registry.url)) {
    return inner_->Stream(request, sink, std::move(stop));
  }
  if (clock_->Now() + kRenewalMargin >= expiry_) {
    const Challenge challenge = *challenge_;  // Authenticate() assigns challenge_.
    KINETIC_RETURN_IF_ERROR(Authenticate(challenge, stop));
  }
  auto response = SendAuthorized(request, sink, stop);
  if (!response || response->status != 401) return response;
  const auto challenge = ParseChallenge(response->headers.Joined("www-authenticate"));
  if (!challenge) return Rejected(challenge);
  const std::string previous = authorization_;
  KINETIC_RETURN_IF_ERROR(Authenticate(*challenge, stop));
  if (authorization_.empty() || authorization_ == previous) return Rejected(challenge);
  response = SendAuthorized(request, sink, std::move(stop));
  if (!response || response->status != 401) return response;
  return Rejected(ParseChallenge(response->headers.Joined("www-authenticate")));
}

Result<http::Response> AuthorizedTransport::SendAuthorized(const http::Request& request,
                                                           const http::Sink& sink,
                                                           std::stop_token stop) {
  if (authorization_.empty()) return inner_->Stream(request, sink, std::move(stop));
  http::Request authorized = request;
  authorized.headers.Set("Authorization", authorization_);
  return inner_->Stream(authorized, sink, std::move(stop));
}

Status AuthorizedTransport::Authenticate(const Challenge& challenge, std::stop_token stop) {
  challenge_ = challenge;
  KINETIC_ASSIGN_OR_RETURN(login_, logins_->Find(access_.registry.name, stop));
  if (challenge.scheme == Challenge::Scheme::kBasic) {
    const bool has_password = login_ && !login_->password.empty();
    authorization_ =
        has_password ? "Basic " + Base64Encode(login_->username + ":" + login_->password) : "";
    return {};
  }
  for (const std::string_view scope : Split(challenge.scope, ' ')) AddScope(std::string(scope));
  const TokenQuery query{access_.registry, challenge, access_.scopes, login_};
  KINETIC_ASSIGN_OR_RETURN(const RegistryToken token,
                           FetchToken(*inner_, *clock_, query, std::move(stop)));
  authorization_ = "Bearer " + token.value;
  expiry_ = token.expiry;
  return {};
}

void AuthorizedTransport::AddScope(const std::string& wanted) {
  const auto includes = [&](const std::string& scope) { return Includes(scope, wanted); };
  if (wanted.empty() || std::ranges::any_of(access_.scopes, includes)) return;
  access_.scopes.push_back(wanted);
}

Failure AuthorizedTransport::Rejected(const std::optional<Challenge>& challenge) const {
  const std::string& registry = access_.registry.name;
  const std::string hint = "docker login " + registry;
  if (!challenge) {
    return Fail(ErrorCode::kUnauthenticated,
                registry + " requires an authentication method that kinetic does not support",
                "kinetic supports basic and token authentication");
  }
  if (!login_) {
    return Fail(ErrorCode::kUnauthenticated,
                registry + " requires a login, and there is none in " + logins_->Locations(), hint);
  }
  if (challenge->error == "insufficient_scope") {
    return Fail(ErrorCode::kPermissionDenied,
                "the login in " + login_->origin + " lacks the permission at " + registry,
                "ask the owner of the repository for access");
  }
  return Fail(ErrorCode::kUnauthenticated, registry + " rejected the login in " + login_->origin,
              hint);
}

}  // namespace kinetic::oci
