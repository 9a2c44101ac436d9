#pragma once

#include "base/time/clock.h"
#include "http/transport.h"
#include "oci/registry/address.h"
#include "oci/registry/login.h"
#include "oci/registry/token_service.h"

#include <optional>
#include <string>
#include <vector>

namespace kinetic::oci {

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
