#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"
#include "http/transport.h"
#include "oci/registry/access.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

/// The WWW-Authenticate header of a 401.
///
/// @source  RFC 9110, section 11.6.1; https://distribution.github.io/distribution/spec/auth/token/
struct Challenge {
  enum class Scheme : std::uint8_t { kBasic, kBearer };

  Scheme scheme = Scheme::kBasic;
  std::string realm;    ///< of kBearer: the URL of the token service
  std::string service;  ///< may be empty
  std::string scope;    ///< required scopes, separated by spaces; may be empty
  std::string error;    ///< "insufficient_scope": the token lacks a permission; may be empty
};

/// Returns the Bearer challenge if there is one, else the Basic one, else nullopt.
std::optional<Challenge> ParseChallenge(std::string_view field);

struct RegistryToken {
  std::string value;  ///< a secret
  WallTime expiry;
};

struct TokenQuery {
  RegistryAddress registry;         ///< that sent the challenge
  Challenge challenge;              ///< kBearer
  std::vector<std::string> scopes;  ///< "repository:team/app:pull,push"
  std::optional<Login> login;       ///< nullopt: anonymous
};

/// Requests a token, without retries and redirects. Requires TLS, except for a registry that is
/// itself used without TLS.
///
/// @errors  kUnauthenticated: the login is rejected · kPermissionDenied: the login lacks the
///          permission, or must not be sent to this service · kUnavailable · kDataLoss: the
///          response is malformed · those of http::Transport::Stream.
/// @source  https://distribution.github.io/distribution/spec/auth/token/ and …/auth/oauth/
Result<RegistryToken> FetchToken(http::Transport& transport, const Clock& clock,
                                 const TokenQuery& query, std::stop_token stop);

/// Adds credentials to requests to one registry, once it responds 401: a login, or a token that is
/// renewed before it expires. Requests to other servers, such as upload URLs, get no credentials.
///
/// @threads  one thread at a time.
class AuthorizedTransport final : public http::Transport {
 public:
  struct Access {
    RegistryAddress registry;
    std::vector<std::string> scopes;  ///< "repository:team/app:pull,push"
  };

  /// All references must outlive this object.
  AuthorizedTransport(http::Transport& inner, Clock& clock, LoginSource& logins, Access access)
      : inner_(&inner), clock_(&clock), logins_(&logins), access_(std::move(access)) {}

  /// @errors  also kUnauthenticated: the login is missing or rejected · kPermissionDenied: the
  ///          login lacks the permission · those of FetchToken and LoginSource::Find.
  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

 private:
  Result<http::Response> SendAuthorized(const http::Request& request, const http::Sink& sink,
                                        std::stop_token stop);
  Status Authenticate(const Challenge& challenge, std::stop_token stop);
  /// Adds a scope that the present scopes do not include.
  void AddScope(const std::string& scope);
  Failure Rejected(const std::optional<Challenge>& challenge) const;

  http::Transport* inner_;
  Clock* clock_;
  LoginSource* logins_;
  Access access_;
  std::optional<Challenge> challenge_;  ///< the registry's last one
  std::optional<Login> login_;
  std::string authorization_;  ///< the header's value, a secret
  WallTime expiry_ = WallTime::max();
};

}  // namespace kinetic::oci
