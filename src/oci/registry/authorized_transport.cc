#include "oci/registry/authorized_transport.h"

#include "base/strings.h"
#include "base/try.h"

#include <algorithm>
#include <utility>

namespace kinetic::oci {
namespace {

/// A token that ends so soon is renewed before it is shown: a body is then not sent for nothing.
constexpr std::chrono::seconds kRenewBefore{10};

/// Whether one scope has all the rights of another: "repository:a:pull,push" those of
/// "repository:a:pull".
bool Covers(const std::string& scope, const std::string& other) {
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
  if (!SameServer(request.url, target_.registry.url)) {
    return inner_->Stream(request, sink, std::move(stop));
  }
  if (clock_->Now() + kRenewBefore >= expiry_) KINETIC_RETURN_IF_ERROR(Renew(stop));
  auto response = Show(request, sink, stop);
  if (!response || response->status != 401) return response;
  const auto challenge = ParseChallenge(response->headers.Joined("www-authenticate"));
  if (!challenge) return Refused(challenge);
  const std::string shown = authorization_;
  KINETIC_RETURN_IF_ERROR(Answer(*challenge, stop));
  if (authorization_.empty() || authorization_ == shown) return Refused(challenge);
  response = Show(request, sink, std::move(stop));
  if (!response || response->status != 401) return response;
  return Refused(ParseChallenge(response->headers.Joined("www-authenticate")));
}

Result<http::Response> AuthorizedTransport::Show(const http::Request& request,
                                                 const http::Sink& sink, std::stop_token stop) {
  if (authorization_.empty()) return inner_->Stream(request, sink, std::move(stop));
  http::Request shown = request;
  shown.headers.Set("Authorization", authorization_);
  return inner_->Stream(shown, sink, std::move(stop));
}

Status AuthorizedTransport::Renew(std::stop_token stop) {
  return Answer(*challenge_, std::move(stop));
}

Status AuthorizedTransport::Answer(const Challenge& challenge, std::stop_token stop) {
  challenge_ = challenge;
  KINETIC_ASSIGN_OR_RETURN(login_, logins_->Find(target_.registry.name, stop));
  if (challenge.scheme == Challenge::Scheme::kBasic) {
    const bool has_password = login_ && !login_->password.empty();
    authorization_ =
        has_password ? "Basic " + Base64Encode(login_->username + ":" + login_->password) : "";
    return {};
  }
  for (const std::string_view scope : Split(challenge.scope, ' ')) AddScope(std::string(scope));
  const TokenQuestion question{target_.registry, challenge, target_.scopes, login_};
  KINETIC_ASSIGN_OR_RETURN(const RegistryToken token,
                           AskForToken(*inner_, *clock_, question, std::move(stop)));
  authorization_ = "Bearer " + token.value;
  expiry_ = token.expiry;
  return {};
}

void AuthorizedTransport::AddScope(const std::string& wanted) {
  const auto covers = [&](const std::string& scope) { return Covers(scope, wanted); };
  if (wanted.empty() || std::ranges::any_of(target_.scopes, covers)) return;
  target_.scopes.push_back(wanted);
}

Failure AuthorizedTransport::Refused(const std::optional<Challenge>& challenge) const {
  const std::string& registry = target_.registry.name;
  const std::string hint = "docker login " + registry;
  if (!challenge) {
    return Fail(ErrorCode::kUnauthenticated,
                registry + " wants something to be shown that it does not name", hint);
  }
  if (!login_) {
    return Fail(ErrorCode::kUnauthenticated,
                registry + " wants a login, and there is none for it in " + logins_->Places(),
                hint);
  }
  if (challenge->error == "insufficient_scope") {
    return Fail(ErrorCode::kPermissionDenied,
                "the login in " + login_->origin + " gives no right to it at " + registry,
                "ask its owner for the right to it");
  }
  return Fail(ErrorCode::kUnauthenticated, registry + " refuses the login in " + login_->origin,
              hint);
}

}  // namespace kinetic::oci
