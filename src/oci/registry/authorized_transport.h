#pragma once

#include "base/time/clock.h"
#include "http/transport.h"
#include "oci/registry/login.h"
#include "oci/registry/reference.h"
#include "oci/registry/token_service.h"

#include <optional>
#include <string>
#include <vector>

namespace kinetic::oci {

/// A transport that shows a registry what it wants to see: nothing until it asks, then a login, or
/// a token that a login was exchanged for, which is renewed in time. Other servers, to which a
/// registry may send uploads, are shown nothing.
///
/// @threads  one thread at a time.
class AuthorizedTransport final : public http::Transport {
 public:
  /// What a registry is, and what is to be done there.
  struct Target {
    RegistryAddress registry;
    std::vector<std::string> scopes;  ///< "repository:team/app:pull,push"
  };

  /// All of them outlive it.
  AuthorizedTransport(http::Transport& inner, Clock& clock, LoginSource& logins, Target target)
      : inner_(&inner), clock_(&clock), logins_(&logins), target_(std::move(target)) {}

  /// @errors  also kUnauthenticated (the registry wants a login, and there is none or it is
  ///          refused) · kPermissionDenied (the login gives no right to it) · those of AskForToken
  ///          and LoginSource::Find.
  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

 private:
  Result<http::Response> Show(const http::Request& request, const http::Sink& sink,
                              std::stop_token stop);
  Status Renew(std::stop_token stop);
  Status Answer(const Challenge& challenge, std::stop_token stop);
  /// Unless it is asked for already.
  void AddScope(const std::string& wanted);
  Failure Refused(const std::optional<Challenge>& challenge) const;

  http::Transport* inner_;
  Clock* clock_;
  LoginSource* logins_;
  Target target_;
  std::optional<Challenge> challenge_;  ///< the last one of the registry
  std::optional<Login> login_;
  std::string authorization_;  ///< as the field has it; a secret
  WallTime expiry_ = WallTime::max();
};

}  // namespace kinetic::oci
